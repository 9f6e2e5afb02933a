#include "src/cli/check_products.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "matprec/convert.h"
#include "matprec/policy.h"

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

// Integers are any bits; the parts of complex numbers, and what narrower floats are rounded from, values.
Tensor data_of(std::int64_t count, Values values, std::uint64_t seed,
               ElementType type = ElementType::kF32) {
  Random random(seed);
  if (is_integer(type)) {
    Tensor data(type, {count});
    auto* bytes = static_cast<std::uint8_t*>(data.data());
    const std::size_t size = static_cast<std::size_t>(count) * size_of(type);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(random.next());
    return data;
  }
  const std::int64_t parts = is_complex(type) ? 2 : 1;
  Tensor real(ElementType::kF32, {count * parts});
  for (std::int64_t i = 0; i < real.size(); ++i) real.data<float>()[i] = value_of(values, random);
  if (type == ElementType::kF32) return real;
  if (!is_complex(type)) return convert(real, type);
  return convert(TensorView(real.data(), ElementType::kC64, {count}), type);
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
  const char* start = static_cast<const char*>(data.data());
  if (data.size() > 0) start += first * static_cast<std::int64_t>(size_of(data.type()));
  return TensorView(start, data.type(), shape, strides);
}

// The same product of other element types.
CheckProduct of_types(CheckProduct product, Values values, ElementType lhs, ElementType rhs) {
  product.description += ", " + std::string(matprec::to_string(lhs)) + " times " +
                         std::string(matprec::to_string(rhs));
  product.lhs = data_of(product.lhs.size(), values, 21, lhs);
  product.rhs = data_of(product.rhs.size(), values, 22, rhs);
  return product;
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

std::vector<DotAlgorithm> CheckProduct::algorithms() const {
  if (is_integer(lhs.type())) return {DotAlgorithm::kInteger};
  std::vector<DotAlgorithm> result;
  for (const AlgorithmInfo& row : kAlgorithms) {
    if (accepts(row.algorithm, lhs.type(), rhs.type())) result.push_back(row.algorithm);
  }
  return result;
}

Tensor CheckProduct::by_library(DotAlgorithm algorithm) const {
  Tensor out(result_type(lhs.type(), rhs.type()), out_shape);
  DotOptions options;
  if (algorithm != DotAlgorithm::kInteger) options.precision = algorithm;
  dot_general_into(out, view_of(lhs, lhs_shape, lhs_strides), view_of(rhs, rhs_shape, rhs_strides),
                   dimension_numbers, options);
  return out;
}

Tensor CheckProduct::by_oracle(DotAlgorithm algorithm) const {
  Tensor out(result_type(lhs.type(), rhs.type()), out_shape);
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
  using enum ElementType;
  for (const auto& [lhs, rhs] : {std::pair{kF64, kF64},
                                {kBF16, kF16},
                                {kF8E4M3FN, kF8E5M2},
                                {kF8E5M2FNUZ, kF8E4M3FNUZ},
                                {kS8, kU8},
                                {kS32, kS8},
                                {kC64, kC64},
                                {kF32, kC64},
                                {kC128, kBF16}}) {
    const CheckProduct product = product_of(9, 35, 150, Layout::kColumnRow, Values::kSpecial);
    products.push_back(of_types(product, Values::kSpecial, lhs, rhs));
  }
  products.push_back(product_of(96, 112, 384, Layout::kRowRow, Values::kUsual));  // several blocks
  return products;
}

}  // namespace matprec::cli
