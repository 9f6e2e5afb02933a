#include "matprec/packed_operand.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "matprec/matprec.h"
#include "tests/support/error_of.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::Random;

Tensor random_tensor(ElementType type, const Dims& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor wide(ElementType::kF32, shape);
  for (std::int64_t i = 0; i < wide.size(); ++i) wide.data<float>()[i] = static_cast<float>(random.uniform() * 2 - 1);
  return type == ElementType::kF32 ? wide : convert(wide, type);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * size_of(a.type())) == 0;
}

class ScopedTarget {
 public:
  explicit ScopedTarget(std::string_view name) { set_target(name); }
  ~ScopedTarget() { set_target(""); }
};

// On every target and with any number of threads, on both sides.
void check(const Dims& rows, const Dims& summed, const Dims& columns, const char* precision, ElementType type,
           std::optional<ElementType> out = std::nullopt) {
  Dims lhs_shape = rows, rhs_shape = summed, lhs_contracting, rhs_contracting;
  for (const std::int64_t size : summed) {
    rhs_contracting.push_back(static_cast<std::int64_t>(rhs_contracting.size()));
    lhs_contracting.push_back(static_cast<std::int64_t>(lhs_shape.size()));
    lhs_shape.push_back(size);
  }
  for (const std::int64_t size : columns) rhs_shape.push_back(size);
  const Tensor lhs = random_tensor(type, lhs_shape, 1), rhs = random_tensor(type, rhs_shape, 2);
  const DotOptions options{.precision = precision, .preferred_element_type = out};
  const Tensor expected = dot_general(lhs, rhs, {lhs_contracting, rhs_contracting, {}, {}}, options);
  const std::string what = to_string(lhs_shape) + " by " + to_string(rhs_shape) + ", " + precision;
  for (const TargetInfo& target : targets()) {
    if (!target.usable) continue;
    const ScopedTarget on(target.name);
    const PackedOperand weights(rhs, rhs_contracting, precision), rows_packed(lhs, lhs_contracting, precision);
    EXPECT_EQ(weights.target(), target.name);
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      EXPECT_TRUE(same(dot_general(lhs, lhs_contracting, weights, options), expected)) << what << ", " << target.name;
      EXPECT_TRUE(same(dot_general(rows_packed, rhs, rhs_contracting, options), expected))
          << what << ", " << target.name;
      set_num_threads(0);
    }
  }
}

TEST(PackedOperand, GivesTheBitsOfTheOperandItself) {
  for (const std::int64_t m : {1, 2, 8, 13, 32, 85, 200}) {
    for (const std::int64_t n : {1, 15, 16, 33, 100}) {
      for (const std::int64_t k : {1, 127, 300, 1025}) check({m}, {k}, {n}, "float32", ElementType::kF32);
    }
  }
  check({3}, {5000}, {2000}, "float32", ElementType::kF32);
  check({150}, {2500}, {70}, "float32", ElementType::kF32);
}

TEST(PackedOperand, ForEveryAlgorithm) {
  for (const AlgorithmInfo& row : kAlgorithms) {
    if (row.accumulation == PrecisionType::kS32) continue;
    const bool eight = !accepts(row.algorithm, ElementType::kF32, ElementType::kF32);
    const ElementType type = eight ? ElementType::kF8E4M3FN
                                   : row.accumulation == PrecisionType::kF64 ? ElementType::kF64 : ElementType::kF32;
    check({9}, {270}, {50}, std::string(to_string(row.algorithm)).c_str(), type,
          row.accumulation == PrecisionType::kF64 ? ElementType::kF64 : ElementType::kF32);
  }
}

TEST(PackedOperand, ForEveryTypeAndSeveralDimensions) {
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF64}) {
    check({3, 4}, {5, 30}, {7, 6}, "highest", type);
  }
  check({3, 4}, {5, 30}, {7, 6}, "bf16x3", ElementType::kF64);
  check({3, 4}, {5, 30}, {7, 6}, "bf16", ElementType::kF64);
}

TEST(PackedOperand, TakesAnyView) {
  const Tensor w = random_tensor(ElementType::kF32, {40, 130}, 3), x = random_tensor(ElementType::kF32, {6, 130}, 4);
  const TensorView turned(w.data(), ElementType::kF32, {130, 20}, {1, 260});  // every other row of w, transposed
  const Tensor expected = dot_general(x, turned, {{1}, {0}, {}, {}});
  EXPECT_TRUE(same(dot_general(x, {1}, PackedOperand(turned, {0})), expected));
  // In the order listed, not in that of the dimensions.
  const Tensor a = random_tensor(ElementType::kF32, {3, 20, 30}, 5), b = random_tensor(ElementType::kF32, {30, 20, 5}, 6);
  EXPECT_TRUE(same(dot_general(a, {2, 1}, PackedOperand(b, {0, 1})), dot_general(a, b, {{2, 1}, {0, 1}, {}, {}})));
}

TEST(PackedOperand, WritesIntoAnOutputWithAnEpilogue) {
  const Tensor x = random_tensor(ElementType::kF32, {20, 300}, 1), w = random_tensor(ElementType::kF32, {300, 45}, 2),
               bias = random_tensor(ElementType::kF32, {45}, 3), before = random_tensor(ElementType::kF32, {20, 45}, 4);
  const DotEpilogue epilogue{.alpha = 0.5, .beta = -2, .c = {}, .bias = bias};
  Tensor expected = before, out = before, turned = before;
  dot_general_into(expected, x, w, {{1}, {0}, {}, {}}, {}, epilogue);
  dot_general_into(out, x, {1}, PackedOperand(w, {0}), {}, epilogue);
  EXPECT_TRUE(same(out, expected));
  dot_general_into(turned, PackedOperand(x, {1}), w, {0}, {}, epilogue);
  EXPECT_TRUE(same(turned, expected));
}

TEST(PackedOperand, IsACopyOfWhatTheOperandWas) {
  Tensor w = random_tensor(ElementType::kF32, {50, 60}, 1);
  const Tensor x = random_tensor(ElementType::kF32, {4, 50}, 2), expected = dot_general(x, w, {{1}, {0}, {}, {}});
  const PackedOperand packed(w, {0});
  std::memset(w.data(), 0xff, 50 * 60 * 4);
  EXPECT_TRUE(same(dot_general(x, {1}, packed), expected));
}

TEST(PackedOperand, KeepsSpecialValuesAndSizesOfZero) {
  Tensor w = random_tensor(ElementType::kF32, {200, 40}, 1);
  const Tensor x = random_tensor(ElementType::kF32, {5, 200}, 2);
  w.data<float>()[41] = std::numeric_limits<float>::infinity();
  w.data<float>()[82] = -std::numeric_limits<float>::quiet_NaN();
  w.data<float>()[123] = 1e-42f;
  EXPECT_TRUE(same(dot_general(x, {1}, PackedOperand(w, {0})), dot_general(x, w, {{1}, {0}, {}, {}})));
  for (const auto& [rows, steps, columns] : {std::tuple{0, 5, 7}, {5, 0, 7}, {5, 7, 0}}) {
    const Tensor a(ElementType::kF32, {rows, steps}), b(ElementType::kF32, {steps, columns});
    EXPECT_TRUE(same(dot_general(a, {1}, PackedOperand(b, {0})), dot_general(a, b, {{1}, {0}, {}, {}})));
  }
  const Tensor one = Tensor::of<float>({}, {3}), two = Tensor::of<float>({}, {2});
  EXPECT_EQ(dot_general(one, {}, PackedOperand(two, {})).data<float>()[0], 6);
}

TEST(PackedOperand, RefusesAnotherAlgorithm) {
  const Tensor w = random_tensor(ElementType::kF32, {50, 60}, 1), x = random_tensor(ElementType::kF32, {4, 50}, 2);
  const PackedOperand packed(w, {0}, "tf32");
  EXPECT_EQ(packed.algorithm(), DotAlgorithm::kTF32_TF32_F32);
  const std::string text = error_of([&] { dot_general(x, {1}, packed); });
  EXPECT_NE(text.find("packed for TF32_TF32_F32, but this product is to run F32_F32_F32"), std::string::npos) << text;
  Tensor out = random_tensor(ElementType::kF32, {4, 60}, 3);
  const Tensor before = out;
  EXPECT_NE(error_of([&] { dot_general_into(out, x, {1}, packed, {.precision = "bf16"}); }), "(no error)");
  EXPECT_TRUE(same(out, before));
  const ScopedPrecision scope("tf32");  // by which both are chosen
  EXPECT_TRUE(same(dot_general(x, {1}, PackedOperand(w, {0})), dot_general(x, {1}, packed)));
}

TEST(PackedOperand, RefusesAnotherTarget) {
  const Tensor w = random_tensor(ElementType::kF32, {50, 60}, 1), x = random_tensor(ElementType::kF32, {4, 50}, 2);
  const PackedOperand packed(w, {0});
  for (const TargetInfo& target : targets()) {
    if (!target.usable || target.name == packed.target()) continue;
    const ScopedTarget on(target.name);
    const std::string text = error_of([&] { dot_general(x, {1}, packed); });
    EXPECT_NE(text.find("packed for the SIMD target " + std::string(packed.target())), std::string::npos) << text;
  }
}

TEST(PackedOperand, RefusesWhatIsNoOperand) {
  const Tensor w(ElementType::kF32, {50, 60}), z(ElementType::kC64, {5, 6}), i(ElementType::kS8, {5, 6});
  EXPECT_NE(error_of([&] { PackedOperand(w, {2}); }).find("dimensions are 0 to 1"), std::string::npos);
  EXPECT_NE(error_of([&] { PackedOperand(w, {-1}); }).find("-1"), std::string::npos);
  EXPECT_NE(error_of([&] { PackedOperand(w, {1, 1}); }).find("dimension 1 twice"), std::string::npos);
  EXPECT_NE(error_of([&] { PackedOperand(z, {0}); }).find("complex elements"), std::string::npos);
  EXPECT_NE(error_of([&] { PackedOperand(w, {0}, {}, ElementType::kC64); }).find("complex"), std::string::npos);
  EXPECT_NE(error_of([&] { PackedOperand(w, {0}, {}, ElementType::kS8); }), "(no error)");
  EXPECT_NE(error_of([&] { PackedOperand(w, {0}, {}, ElementType{99}); }), "(no error)");
  EXPECT_NE(error_of([&] { PackedOperand(TensorView(nullptr, ElementType::kF32, {5, 6}), {0}); }), "(no error)");
  EXPECT_NE(error_of([&] { PackedOperand(w, {0}, "float33"); }), "(no error)");
  const Tensor x(ElementType::kF32, {4, 51});
  EXPECT_NE(error_of([&] { dot_general(x, {1}, PackedOperand(w, {0})); }).find("51"), std::string::npos);
  EXPECT_NE(error_of([&] { dot_general(x, {0, 1}, PackedOperand(w, {0})); }), "(no error)");
}

TEST(PackedOperand, IntegersArePackedToo) {
  Tensor a(ElementType::kS8, {9, 300}), b(ElementType::kS8, {300, 40});
  for (std::int64_t i = 0; i < a.size(); ++i) static_cast<signed char*>(a.data())[i] = static_cast<signed char>(i * 37);
  for (std::int64_t i = 0; i < b.size(); ++i) static_cast<signed char*>(b.data())[i] = static_cast<signed char>(i * 53);
  EXPECT_TRUE(same(dot_general(a, {1}, PackedOperand(b, {0})), dot_general(a, b, {{1}, {0}, {}, {}})));
}

TEST(PackedOperand, ServesManyThreadsAndOutlivesItsCopies) {
  const Tensor w = random_tensor(ElementType::kF32, {300, 60}, 1), x = random_tensor(ElementType::kF32, {4, 300}, 2);
  const Tensor expected = dot_general(x, w, {{1}, {0}, {}, {}});
  std::optional<PackedOperand> first(std::in_place, w, Dims{0});
  const PackedOperand packed = *first;
  first.reset();
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (int& ok : good) threads.emplace_back([&] { ok = same(dot_general(x, {1}, packed), expected) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 1));
}

}  // namespace
}  // namespace matprec
