#include "bench/gemm/operands.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace matprec::bench {
namespace {

Tensor numbers(ElementType type, int batch, int rows, int columns, std::uint64_t seed) {
  Tensor t = Tensor::uninitialized(type, {batch, rows, columns});
  for (std::int64_t i = 0; i < t.size(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const float number = static_cast<float>(static_cast<std::int32_t>(seed >> 32)) * 0x1p-31f;
    switch (type) {
      case ElementType::kF64:
        t.data<double>()[i] = static_cast<double>(number);
        break;
      case ElementType::kF32:
        t.data<float>()[i] = number;
        break;
      default:  // bfloat16
        t.data<BFloat16>()[i].bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
    }
  }
  return t;
}

// At most so many of `count`, equally far apart, the last one among them.
struct Sample {
  Sample(std::int64_t count, std::int64_t most)
      : size(std::min(count, most)),
        step(size > 1 ? (count - 1) / (size - 1) : 1),
        first(count - 1 - step * (size - 1)) {}
  std::int64_t size, step, first;
};

}  // namespace

Operands::Operands(const Sizes& sizes, ElementType operand, ElementType result)
    : sizes_(sizes),
      a_(sizes.trans_a ? numbers(operand, sizes.batch, sizes.k, sizes.m, 1)
                       : numbers(operand, sizes.batch, sizes.m, sizes.k, 1)),
      b_(sizes.trans_b ? numbers(operand, sizes.batch, sizes.n, sizes.k, 2)
                       : numbers(operand, sizes.batch, sizes.k, sizes.n, 2)),
      c_(result, {sizes.batch, sizes.m, sizes.n}) {}

double Operands::bytes() const {
  return static_cast<double>((a_.size() + b_.size()) * static_cast<std::int64_t>(size_of(operand())) +
                             c_.size() * static_cast<std::int64_t>(size_of(result())));
}

double Operands::flops() const { return 2.0 * sizes_.batch * sizes_.m * sizes_.n * sizes_.k; }

TensorView Operands::a_view() const {
  const Sizes& s = sizes_;
  return TensorView(a_.data(), operand(), {s.m, s.k}, s.trans_a ? Dims{1, lda()} : Dims{lda(), 1});
}

TensorView Operands::b_view() const {
  const Sizes& s = sizes_;
  return TensorView(b_.data(), operand(), {s.k, s.n}, s.trans_b ? Dims{1, ldb()} : Dims{ldb(), 1});
}

MutableTensorView Operands::c_view() { return MutableTensorView(c_.data(), result(), {sizes_.m, sizes_.n}); }

void Operands::spoil() {
  std::memset(c_.data(), 0xff, static_cast<std::size_t>(c_.size()) * size_of(result()));
}

bool Operands::is_right(DotAlgorithm algorithm) const {
  const Sample products(sizes_.batch, 3), rows(sizes_.m, 7), columns(sizes_.n, 7);
  const TensorView a = a_view(), b = b_view();
  const std::int64_t m = sizes_.m, n = sizes_.n, k = sizes_.k;
  // The sampled rows of A and columns of B, again as views.
  const auto at = [](const TensorView& view, std::int64_t element) {
    return static_cast<const std::byte*>(view.data()) +
           element * static_cast<std::int64_t>(size_of(view.type()));
  };
  const TensorView some_a(at(a, products.first * m * k + rows.first * a.strides()[0]), operand(),
                          {products.size, rows.size, k},
                          {products.step * m * k, rows.step * a.strides()[0], a.strides()[1]});
  const TensorView some_b(at(b, products.first * k * n + columns.first * b.strides()[1]), operand(),
                          {products.size, k, columns.size},
                          {products.step * k * n, b.strides()[0], columns.step * b.strides()[1]});
  Tensor expected(result(), {products.size, rows.size, columns.size});
  reference_dot_general_into(expected, some_a, some_b, {{2}, {1}, {0}, {0}}, algorithm);

  const std::size_t item = size_of(result());
  const std::byte* want = static_cast<const std::byte*>(expected.data());
  for (std::int64_t p = 0; p < products.size; ++p) {
    for (std::int64_t i = 0; i < rows.size; ++i) {
      for (std::int64_t j = 0; j < columns.size; ++j, want += item) {
        const std::int64_t element = (products.first + p * products.step) * m * n +
                                     (rows.first + i * rows.step) * n + columns.first + j * columns.step;
        if (std::memcmp(at(c_, element), want, item) != 0) return false;
      }
    }
  }
  return true;
}

}  // namespace matprec::bench
