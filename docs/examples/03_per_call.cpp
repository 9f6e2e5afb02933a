// What one call can say: a name, a level, a pair of levels, an output type, where the result goes.
#include <matprec/matprec.h>

#include <iostream>

namespace mp = matprec;

int main() {
  const float x[] = {1024.5f, 3, -2, 0.25f, 1, 8};
  const float y[] = {1, 2, 3};
  const mp::TensorView a(x, {2, 3});
  const mp::TensorView v(y, {3});

  // matmul as NumPy's: (2, 3) times (3,) is (2,).
  const mp::Tensor exact = mp::matmul(a, v);
  const mp::Tensor fast = mp::matmul(a, v, {.precision = mp::Precision::kFastest});
  const mp::Tensor safe =
      mp::matmul(a, v, {.precision = {mp::Precision::kFastest, mp::Precision::kHighest}});
  std::cout << "float32 " << exact.data<float>()[0] << ", fastest " << fast.data<float>()[0]
            << ", the more precise of a pair " << safe.data<float>()[0] << '\n';

  // dot_general names the dimensions: here the columns of x, seen as 3 x 2, by strides alone.
  const mp::TensorView transposed(x, {3, 2}, {1, 3});
  const mp::Tensor same =
      mp::dot_general(transposed, v, {.lhs_contracting = {0}, .rhs_contracting = {0}});
  std::cout << "transposed view " << same.data<float>()[0] << '\n';

  // Into memory of your own: out = 0.5 * (a v) + 1 * out, each step rounded once.
  float out[] = {100, 200};
  mp::dot_general_into(mp::MutableTensorView(out, {2}), a, v,
                       {.lhs_contracting = {1}, .rhs_contracting = {0}}, {},
                       {.alpha = 0.5, .beta = 1});
  std::cout << "accumulated " << out[0] << ", " << out[1] << '\n';

  // A mistake is an Error before anything is written.
  try {
    mp::matmul(a, v, {.precision = "bf16x4"});
  } catch (const mp::Error& error) {
    std::cout << "Error: " << error.what() << '\n';
  }
}
