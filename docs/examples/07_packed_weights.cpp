// The weights of a layer, packed once for all products.
#include <matprec/matprec.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>

namespace mp = matprec;

namespace {

mp::Tensor filled(const mp::Dims& shape, double step) {
  mp::Tensor t(mp::ElementType::kF32, shape);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    t.data<float>()[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  }
  return t;
}

bool same(const mp::Tensor& a, const mp::Tensor& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

}  // namespace

int main() {
  const mp::Tensor weights = filled({768, 512}, 0.37);  // inputs x outputs
  const mp::PackedOperand packed(weights, {0}, "tf32");  // the inputs will be summed over
  std::cout << "packed for " << mp::to_string(packed.algorithm()) << '\n';

  // A product packs nothing but its own few rows, and has the bits that it would have without.
  const mp::DotOptions options{.precision = "tf32"};
  for (const std::int64_t tokens : {1, 8}) {
    const mp::Tensor x = filled({tokens, 768}, 0.11);
    const mp::Tensor y = mp::dot_general(x, {1}, packed, options);
    std::cout << mp::to_string(x.shape()) << " gives " << mp::to_string(y.shape())
              << (same(y, mp::matmul(x, weights, options)) ? ", the same bits" : ", OTHER BITS") << '\n';
  }

  // What was packed for one algorithm never runs another.
  try {
    mp::dot_general(filled({1, 768}, 0.11), {1}, packed);
  } catch (const mp::Error& error) {
    std::cout << error.what() << '\n';
  }
}
