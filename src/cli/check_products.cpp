#include "src/cli/check_products.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

namespace matprec::cli {
namespace {

enum class Values { kUsual, kWide, kSpecial };

std::string_view to_string(Values values) {
  constexpr std::string_view kNames[] = {"values in [-1, 1)", "values over the whole range",
                                         "special values"};
  return kNames[static_cast<std::size_t>(values)];
}

// A 64-bit linear congruential generator (Knuth's MMIX constants); its upper 32 bits.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

float value_of(Values values, Random& random) {
  const float usual =
      static_cast<float>(static_cast<std::int32_t>(random.next() >> 8) - (1 << 23)) * 0x1p-23f;
  if (values == Values::kUsual) return usual;
  if (values == Values::kWide)
    return std::ldexp(usual, static_cast<int>(random.next() % 240) - 120);
  // One value in eight is special, so that many sums keep a finite course for a while.
  constexpr std::uint32_t kSpecial[] = {0x7f800001u, 0x7fc00000u, 0xffffffffu, 0x7f800000u,
                                        0xff800000u, 0x7f7fffffu, 0x80000000u, 0x00000001u,
                                        0x807fffffu, 0x00800000u, 0x7f7f8000u, 0x477fe000u};
  const std::uint32_t pick = random.next();
  if (pick % 8 != 0) return usual;
  return std::bit_cast<float>(kSpecial[(pick >> 8) % std::size(kSpecial)]);
}

Tensor data_of(std::int64_t count, Values values, std::uint64_t seed) {
  Random random(seed);
  Tensor data(ElementType::kF32, {count});
  for (std::int64_t i = 0; i < count; ++i) data.data<float>()[i] = value_of(values, random);
  return data;
}

// The four ways in which two matrices can lie, and a row-major one read backwards.
enum class Layout { kRowRow, kColumnRow, kRowColumn, kColumnColumn, kBackwards };

std::string_view to_string(Layout layout) {
  constexpr std::string_view kNames[] = {"row-major operands", "transposed lhs", "transposed rhs",
                                         "both transposed", "negative strides"};
  return kNames[static_cast<std::size_t>(layout)];
}

CheckProduct product_of(std::int64_t m, std::int64_t n, std::int64_t k, Layout layout,
                        Values values) {
  const std::uint64_t seed = static_cast<std::uint64_t>(m * 7919 + n * 104729 + k);
  const bool lhs_columns = layout == Layout::kColumnRow || layout == Layout::kColumnColumn;
  const bool rhs_columns = layout == Layout::kRowColumn || layout == Layout::kColumnColumn;
  CheckProduct product{.description = std::to_string(m) + " x " + std::to_string(k) + " times " +
                                      std::to_string(k) + " x " + std::to_string(n) + ", " +
                                      std::string(to_string(layout)) + ", " +
                                      std::string(to_string(values)),
                       .lhs = data_of(m * k, values, seed),
                       .rhs = data_of(k * n, values, seed + 1),
                       .lhs_shape = {m, k},
                       .lhs_strides = lhs_columns ? Dims{1, m} : Dims{k, 1},
                       .rhs_shape = {k, n},
                       .rhs_strides = rhs_columns ? Dims{1, k} : Dims{n, 1},
                       .out_shape = {m, n},
                       .dimension_numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}}};
  if (layout == Layout::kBackwards) {
    product.lhs_strides = {-k, -1};
    product.rhs_strides = {-n, -1};
  }
  return product;
}

// A view whose negative strides begin at the last element of its data.
TensorView view_of(const Tensor& data, const Dims& shape, const Dims& strides) {
  std::int64_t first = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 0 && shape[d] > 0) first -= strides[d] * (shape[d] - 1);
  }
  return TensorView(data.data<float>() + (data.size() == 0 ? 0 : first), shape, strides);
}

CheckProduct batched(Values values) {
  constexpr std::int64_t kBatch = 3, kM = 5, kN = 18, kK = 130;
  return {.description = "batch of 3, 5 x 130 times 130 x 18, " + std::string(to_string(values)),
          .lhs = data_of(kBatch * kM * kK, values, 11),
          .rhs = data_of(kK * kN * kBatch, values, 12),
          .lhs_shape = {kBatch, kM, kK},
          .lhs_strides = {kM * kK, kK, 1},
          .rhs_shape = {kK, kN, kBatch},
          .rhs_strides = {kN * kBatch, kBatch, 1},
          .out_shape = {kBatch, kM, kN},
          .dimension_numbers = {
              .lhs_contracting = {2}, .rhs_contracting = {0}, .lhs_batch = {0}, .rhs_batch = {2}}};
}

}  // namespace

Tensor CheckProduct::by_library(DotAlgorithm algorithm) const {
  Tensor out(ElementType::kF32, out_shape);
  dot_general_into(out, view_of(lhs, lhs_shape, lhs_strides), view_of(rhs, rhs_shape, rhs_strides),
                   dimension_numbers, {.precision = algorithm});
  return out;
}

Tensor CheckProduct::by_oracle(DotAlgorithm algorithm) const {
  Tensor out(ElementType::kF32, out_shape);
  reference_dot_general_into(out, view_of(lhs, lhs_shape, lhs_strides),
                             view_of(rhs, rhs_shape, rhs_strides), dimension_numbers, algorithm);
  return out;
}

std::vector<CheckProduct> check_products() {
  constexpr Layout kLayouts[] = {Layout::kRowRow, Layout::kColumnRow, Layout::kRowColumn,
                                 Layout::kColumnColumn, Layout::kBackwards};
  std::vector<CheckProduct> products;
  // No steps, no rows, no columns; then single rows and columns, which have kernels of their own.
  for (const auto [m, n, k] :
       {std::array<std::int64_t, 3>{3, 5, 0}, {0, 5, 4}, {5, 0, 4}, {1, 1, 1}}) {
    products.push_back(product_of(m, n, k, Layout::kRowRow, Values::kUsual));
  }
  // Around the chunk of 128 steps and the tile sizes of every vector length.
  for (const auto [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1000},
                               {1, 33, 127},
                               {37, 1, 128},
                               {7, 17, 129},
                               {13, 31, 257},
                               {33, 65, 131}}) {
    for (const Layout layout : kLayouts) {
      products.push_back(product_of(m, n, k, layout, Values::kUsual));
    }
  }
  for (const Values values : {Values::kWide, Values::kSpecial}) {
    for (const Layout layout : kLayouts) products.push_back(product_of(9, 35, 150, layout, values));
    products.push_back(product_of(1, 19, 300, Layout::kRowRow, values));
    products.push_back(product_of(19, 1, 300, Layout::kRowRow, values));
    products.push_back(batched(values));
  }
  products.push_back(product_of(96, 112, 384, Layout::kRowRow, Values::kUsual));  // several blocks
  return products;
}

}  // namespace matprec::cli
