// The ways that products take beside blocks and tiles: which ones take them, and that no bit depends on it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "matprec/tensor.h"
#include "src/gemm/gemm.h"
#include "src/gemm/reference.h"
#include "src/gemm/small_gemm.h"
#include "src/kernels/targets.h"
#include "tests/support/bits.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using gemm::GemmPlan;
using testing::Random;

template <class T>
constexpr ElementType kType = ElementType::kF32;
template <>
constexpr ElementType kType<double> = ElementType::kF64;
template <class T>
constexpr DotAlgorithm kAlgorithm = DotAlgorithm::kF32_F32_F32;
template <>
constexpr DotAlgorithm kAlgorithm<double> = DotAlgorithm::kF64_F64_F64;

// A matrix by rows or by columns, with gaps between these; what lies around and between is NaN.
template <class T>
struct Matrix {
  Matrix(std::int64_t r, std::int64_t c, bool by_columns, Random& random, std::int64_t gap = 3)
      : rows(r),
        columns(c),
        row(by_columns ? 1 : c + gap),
        column(by_columns ? r + gap : 1),
        memory(static_cast<std::size_t>(5 + (r + gap) * (c + gap)), std::numeric_limits<T>::quiet_NaN()) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) at(i, j) = static_cast<T>(random.uniform() * 2 - 1);
    }
  }
  T& at(std::int64_t i, std::int64_t j) { return memory[static_cast<std::size_t>(5 + i * row + j * column)]; }
  T* data() { return memory.data() + 5; }
  const T* data() const { return memory.data() + 5; }
  TensorView view() const { return {data(), kType<T>, {rows, columns}, {row, column}}; }
  gemm::Axis row_axis() const { return {rows, row}; }
  gemm::Axis column_axis() const { return {columns, column}; }

  std::int64_t rows, columns, row, column;
  std::vector<T> memory;
};

struct Case {
  std::int64_t m, n, k;
  bool a_by_columns = false, b_by_columns = false, c_by_columns = false;
  std::int64_t b_gap = 3;
};

std::string text(const Case& c) {
  return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) +
         (c.a_by_columns ? " A^T" : "") + (c.b_by_columns ? " B^T" : "") + (c.c_by_columns ? " C^T" : "");
}

template <class T>
gemm::GemmProblem problem_of(const Matrix<T>& a, const Matrix<T>& b, Matrix<T>& c) {
  gemm::GemmProblem problem;
  problem.algorithm = kAlgorithm<T>;
  problem.m = a.rows, problem.n = b.columns, problem.k = a.columns;
  problem.lhs = {a.data(), kType<T>, {}, a.row_axis(), a.column_axis()};
  problem.rhs = {b.data(), kType<T>, {}, b.column_axis(), b.row_axis()};
  problem.out = c.data();
  problem.out_type = kType<T>;
  problem.out_rows = c.row_axis(), problem.out_columns = c.column_axis();
  return problem;
}

template <class T>
::testing::AssertionResult same(const Matrix<T>& got, const Matrix<T>& expected) {
  return testing::same_bits(std::span<const T>(got.memory), std::span<const T>(expected.memory));
}

// The path that was planned, on every target, gives the oracle's bits and writes nothing else. No path: it depends on
// the lanes.
template <class T>
void check(const Case& shape, std::optional<GemmPlan::Path> path, bool epilogue = false) {
  Random random(static_cast<std::uint64_t>(shape.m * 1000003 + shape.n * 1009 + shape.k));
  const Matrix<T> a(shape.m, shape.k, shape.a_by_columns, random);
  const Matrix<T> b(shape.k, shape.n, shape.b_by_columns, random, shape.b_gap);
  const Matrix<T> untouched(shape.m, shape.n, shape.c_by_columns, random);
  const Matrix<T> bias(shape.m, shape.n, false, random);

  DotEpilogue reference_epilogue;
  Matrix<T> expected = untouched;
  const Matrix<T> c = untouched;
  if (epilogue) reference_epilogue = {.alpha = -0.75, .beta = 1.5, .c = c.view(), .bias = bias.view()};
  gemm::reference_dot_general_unchecked(
      MutableTensorView(expected.data(), kType<T>, {shape.m, shape.n}, {expected.row, expected.column}), a.view(),
      b.view(), {{1}, {0}, {}, {}}, kAlgorithm<T>, reference_epilogue);

  for (const kernels::KernelTable* table : kernels::compiled_tables()) {
    if (!kernels::usable(*table)) continue;
    for (const int threads : {1, 3}) {
      Matrix<T> out = untouched;
      gemm::GemmProblem problem = problem_of(a, b, out);
      if (epilogue) {
        problem.alpha = -0.75;
        problem.beta = 1.5;
        problem.c = gemm::Source{c.data(), kType<T>, {}, c.row_axis(), c.column_axis()};
        problem.bias = gemm::Source{bias.data(), kType<T>, {}, bias.row_axis(), bias.column_axis()};
      }
      const GemmPlan plan = gemm::plan(problem, *table, threads);
      ASSERT_EQ(plan.path, path.value_or(plan.path)) << text(shape) << ": " << gemm::to_string(plan);
      gemm::gemm(problem, plan);
      EXPECT_TRUE(same(out, expected)) << table->name << ", " << text(shape) << ", " << threads << " threads";
    }
  }
}

// Around the heights and widths of tiles, and all storage orders.
std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 3, 5, 7, 9, 12, 13, 15, 16, 17, 29}) {
    for (const std::int64_t n : {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 50}) {
      for (const std::int64_t k : {1, 3, 6, 37}) cases.push_back({m, n, k});
    }
  }
  for (int order = 0; order < 8; ++order) {
    for (const Case& size : {Case{5, 9, 11}, Case{33, 20, 128}, Case{61, 67, 64}}) {
      cases.push_back({size.m, size.n, size.k, (order & 1) != 0, (order & 2) != 0, (order & 4) != 0});
    }
  }
  return cases;
}

TEST(SmallProducts, HaveTheBitsOfTheOracle) {
  for (const Case& shape : small_cases()) {
    // Vectors by columns have a stride that a small product does not take: of these none is among the cases.
    check<float>(shape, shape.n == 1 && shape.m > 8 ? std::optional<GemmPlan::Path>() : GemmPlan::Path::kAtOnce);
  }
}

TEST(SmallProducts, HaveTheBitsOfTheOracleInFloat64) {
  for (const Case& shape : small_cases()) {
    if (shape.m % 3 == 0) continue;
    check<double>(shape, shape.n == 1 && shape.m > 8 ? std::optional<GemmPlan::Path>() : GemmPlan::Path::kAtOnce);
  }
}

TEST(SmallProducts, WithAnEpilogueTakeTheGeneralWay) {
  check<float>({5, 9, 11}, GemmPlan::Path::kTiles, true);
}

// alpha and beta of the CBLAS entries, one product at a time, in batches and from addresses.
TEST(SmallProducts, ScaleAndAddAsTheOracleDoes) {
  Random random(3);
  for (const kernels::KernelTable* table : kernels::compiled_tables()) {
    if (!kernels::usable(*table)) continue;
    for (const Case& size : {Case{3, 5, 7}, Case{16, 20, 30}, Case{31, 33, 17}}) {
      const std::int64_t m = size.m, n = size.n, k = size.k;
      const Matrix<float> a(m, k, false, random), b(k, n, false, random), before(m, n, false, random);
      Matrix<float> expected = before;
      gemm::reference_dot_general_unchecked(
          MutableTensorView(expected.data(), kType<float>, {m, n}, {expected.row, 1}), a.view(), b.view(),
          {{1}, {0}, {}, {}}, DotAlgorithm::kF32_F32_F32, {.alpha = -0.75, .beta = 1.5, .c = before.view(), .bias = {}});
      Matrix<float> c = before, d = before;
      const gemm::SmallProduct product{DotAlgorithm::kF32_F32_F32, ElementType::kF32, m, n, k, a.data(), a.row, 1,
                                       b.data(), b.row, 1, c.data(), c.row, 1, -0.75, 1.5};
      ASSERT_TRUE(gemm::is_small(product, 1));
      gemm::small_gemm(product, *table);
      EXPECT_TRUE(same(c, expected)) << table->name;
      c = before;
      const float *as[] = {a.data(), a.data()}, *bs[] = {b.data(), b.data()};
      float* cs[] = {c.data(), d.data()};
      gemm::small_gemm(product, {2, 0, 0, 0, as, bs, cs}, *table, 2);
      EXPECT_TRUE(same(c, expected) && same(d, expected)) << table->name;
    }
  }
}

TEST(Vectors, HaveTheBitsOfTheOracle) {
  for (const std::int64_t k : {1, 2, 5, 127, 128, 131, 640, 1030}) {
    for (const std::int64_t n : {2, 3, 15, 16, 33, 200, 4099}) {
      if (n * k > 600000) continue;
      for (const bool by_columns : {false, true}) {
        const bool small = k <= 128 && n <= 128;  // of these some are small products
        if (small) continue;
        const bool at_once = k <= 128 && n * k * 4 <= 65536 && !by_columns;
        check<float>({1, n, k, false, by_columns}, at_once ? GemmPlan::Path::kAtOnce : GemmPlan::Path::kVector);
      }
    }
  }
  for (const bool by_columns : {false, true}) {
    for (const bool c_by_columns : {false, true}) {
      check<float>({1, 300, 700, false, by_columns, c_by_columns}, GemmPlan::Path::kVector);
      check<float>({300, 1, 700, by_columns, false, c_by_columns}, GemmPlan::Path::kVector);
      check<double>({1, 300, 700, false, by_columns, c_by_columns}, GemmPlan::Path::kVector);
      check<double>({300, 1, 700, by_columns, true, c_by_columns}, GemmPlan::Path::kVector);
      check<float>({300, 1, 700, by_columns, false, c_by_columns}, GemmPlan::Path::kVector, true);
      check<double>({1, 5000, 260, false, by_columns, c_by_columns}, GemmPlan::Path::kVector, true);
    }
  }
}

// Lines that compete for the same places of the cache are read in chunks: around groups of 2 and 4 of these.
template <class T>
void check_lines_that_collide() {
  const std::int64_t unit = 2048 / static_cast<std::int64_t>(sizeof(T));
  for (const std::int64_t k : {255, 256, 257, 300, 511, 512, 513, 640, 769, 1023, 1024, 1025, 1150, 1536, 2048, 2300}) {
    for (const std::int64_t n : {16, 17, 31, 35}) {
      Case shape{1, n, k, false, true};
      shape.b_gap = unit - k % unit;
      check<T>(shape, GemmPlan::Path::kVector);
    }
  }
}
TEST(Vectors, LinesThatCollideHaveTheBitsOfTheOracle) { check_lines_that_collide<float>(); }
TEST(Vectors, LinesThatCollideHaveTheBitsOfTheOracleInFloat64) { check_lines_that_collide<double>(); }

TEST(Vectors, DotProductsHaveTheBitsOfTheOracle) {
  // Chunks by the vector and by the half of it, and what is left: 1 to 7 of them and a part of one.
  std::vector<std::int64_t> lengths = {129, 130, 255, 256, 257, 500, 512, 1000, 2048, 2050, 3072, 3200, 5000, 100001};
  for (std::int64_t chunks = 2; chunks < 18; ++chunks) {
    for (const std::int64_t rest : {-1, 0, 1, 67}) lengths.push_back(128 * chunks + rest);
  }
  for (const std::int64_t k : lengths) {
    check<float>({1, 1, k, false, true}, GemmPlan::Path::kVector);
    check<double>({1, 1, k, false, true}, GemmPlan::Path::kVector);
    check<float>({1, 1, k, true, true}, GemmPlan::Path::kVector);
  }
}

// Few outputs, many steps: parts of the sum are nodes of its tree, whatever the number of threads.
template <class T>
void check_parts(const Case& shape, DotAlgorithm algorithm, bool epilogue) {
  Random random(static_cast<std::uint64_t>(shape.m + shape.n * 3 + shape.k * 7));
  const Matrix<T> a(shape.m, shape.k, shape.a_by_columns, random), b(shape.k, shape.n, shape.b_by_columns, random),
      before(shape.m, shape.n, shape.c_by_columns, random);
  const DotEpilogue scaled{.alpha = -0.75, .beta = 1.5, .c = {}, .bias = {}};
  Matrix<T> expected = before;
  gemm::reference_dot_general_unchecked(
      MutableTensorView(expected.data(), kType<T>, {shape.m, shape.n}, {expected.row, expected.column}), a.view(),
      b.view(), {{1}, {0}, {}, {}}, algorithm, epilogue ? scaled : DotEpilogue{});
  for (const int threads : {2, 3, 8}) {
    Matrix<T> out = before;
    gemm::GemmProblem problem = problem_of(a, b, out);
    problem.algorithm = algorithm;
    if (epilogue) {
      problem.alpha = scaled.alpha, problem.beta = scaled.beta;
      problem.c = gemm::Source{out.data(), kType<T>, {}, out.row_axis(), out.column_axis()};
    }
    const GemmPlan plan = gemm::plan(problem, kernels::current(), threads);
    ASSERT_GT(plan.step_parts, 1) << text(shape) << ": " << gemm::to_string(plan);
    ASSERT_NE(gemm::to_string(plan).find("cut along the steps"), std::string::npos);
    gemm::gemm(problem, plan);
    EXPECT_TRUE(same(out, expected)) << text(shape) << ", " << threads << " threads, " << gemm::to_string(plan);
  }
}

TEST(StepParts, HaveTheBitsOfTheOracle) {
  // Around powers of two of chunks, and off them.
  for (const std::int64_t k : {32768, 32767, 32769, 49152, 49152 + 128, 35001}) {
    check_parts<float>({7, 5, k}, DotAlgorithm::kF32_F32_F32, false);
    check_parts<double>({6, 7, k, true, false, true}, DotAlgorithm::kF64_F64_F64, false);
  }
  for (int order = 0; order < 8; ++order) {
    check_parts<float>({4, 9, 40000, (order & 1) != 0, (order & 2) != 0, (order & 4) != 0},
                       DotAlgorithm::kF32_F32_F32, order % 2 == 0);
  }
  check_parts<float>({2, 3, 100000}, DotAlgorithm::kBF16_BF16_F32_X3, true);
  check_parts<float>({2, 3, 100000}, DotAlgorithm::kBF16_BF16_F32_X6, false);
  check_parts<float>({2, 3, 500000}, DotAlgorithm::kTF32_TF32_F32, false);
  check_parts<float>({1, 1, 1500001, false, true}, DotAlgorithm::kF32_F32_F32, false);  // a dot product
  check_parts<double>({1, 1, 1500001, false, true}, DotAlgorithm::kF64_F64_F64, true);
}

TEST(StepParts, AreNotForWhatThreadsShareAnyway) {
  Random random(1);
  Matrix<float> a(64, 4000, false, random), b(4000, 500, false, random), c(64, 500, false, random);
  EXPECT_EQ(gemm::plan(problem_of(a, b, c), kernels::current(), 4).step_parts, 1);
  EXPECT_EQ(gemm::plan(problem_of(a, b, c), kernels::current(), 1).step_parts, 1);
}

// The plan's promise: 8 MiB and 4 MiB for each thread, of what tasks take at most, whatever the problem's size.
TEST(Plan, KeepsWithinTheMemoryLimit) {
  alignas(8) char element[8] = {};  // planned, not run
  for (const std::int64_t m : {1, 9, 84, 85, 2000, 100000}) {
    for (const std::int64_t n : {16, 700, 5000, 1000000}) {
      for (const std::int64_t k : {16, 1024, 5000, 70000, 100000000}) {
        for (const int threads : {1, 2, 5, 64}) {
          for (const DotAlgorithm algorithm : {DotAlgorithm::kF32_F32_F32, DotAlgorithm::kBF16_BF16_F32_X3,
                                               DotAlgorithm::kBF16_BF16_F32_X6, DotAlgorithm::kF64_F64_F64}) {
            const bool is_double = algorithm == DotAlgorithm::kF64_F64_F64;
            const ElementType type = is_double ? ElementType::kF64 : ElementType::kF32;
            gemm::GemmProblem problem;
            problem.algorithm = algorithm;
            problem.m = m, problem.n = n, problem.k = k;
            problem.lhs = {element, type, {}, {m, k}, {k, 1}};
            problem.rhs = {element, type, {}, {n, 1}, {k, n}};
            problem.out = element;
            problem.out_type = type;
            problem.out_rows = {m, n}, problem.out_columns = {n, 1};
            const GemmPlan plan = gemm::plan(problem, kernels::current(), threads);
            const std::string what = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + ", " +
                                     std::to_string(threads) + " threads: " + gemm::to_string(plan);
            if (plan.step_parts > 1) {
              EXPECT_LE(plan.step_parts * m * n * (is_double ? 8 : 4), 2 << 20) << what;
              continue;
            }
            if (plan.path != GemmPlan::Path::kTiles) continue;
            const std::int64_t item = (is_double ? 8 : 4) * info(algorithm).fmas;
            const auto tiles = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size * size; };
            const std::int64_t rows_here = plan.swapped ? n : m, columns_here = plan.swapped ? m : n;
            const std::int64_t steps = tiles(std::min(k, plan.block_steps), kernels::kChunkSteps);
            const std::int64_t columns = tiles(std::min(columns_here, plan.block_columns), plan.tile_columns);
            const std::int64_t rows = tiles(std::min(rows_here, plan.block_rows), plan.tile_rows);
            const std::int64_t super_rows = tiles(std::min(rows_here, plan.super_rows), plan.tile_rows);
            const std::int64_t edges = plan.top_in_output ? super_rows * plan.tile_columns + columns * plan.tile_rows : 0;
            const std::int64_t bytes = (plan.a_in_place ? 0 : (rows + plan.tile_rows) * steps * item) +
                                       (plan.b_in_place ? 0 : columns * steps * item) +
                                       (plan.kept_levels * super_rows * columns + edges) * (is_double ? 8 : 4) +
                                       (std::int64_t{256} << 10);  // gathered pieces
            EXPECT_LE(bytes, (std::int64_t{4} << 20) + (std::int64_t{8} << 20) / plan.threads) << what;
          }
        }
      }
    }
  }
}

// A NaN or an infinity anywhere shows where it belongs, and every NaN is the canonical one.
TEST(Paths, KeepNaNsAndInfinities) {
  Random random(9);
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Case& shape : {Case{14, 32, 20}, Case{13, 17, 20}, Case{1, 300, 300}, Case{1, 300, 300, false, true},
                            Case{1, 33, 1024, false, true, false, 1024}, Case{1, 1, 3000, false, true},
                            Case{1, 1, 1000, false, true}, Case{1, 1, 400, false, true}}) {
    for (const float special : {inf, -inf, nan, -nan}) {
      Matrix<float> a(shape.m, shape.k, false, random), b(shape.k, shape.n, shape.b_by_columns, random, shape.b_gap);
      a.at(shape.m / 2, shape.k / 3) = special;
      b.at(shape.k / 2, shape.n / 2) = -special;
      Matrix<float> expected(shape.m, shape.n, false, random);
      Matrix<float> out = expected;
      gemm::reference_dot_general_unchecked(
          MutableTensorView(expected.data(), kType<float>, {shape.m, shape.n}, {expected.row, expected.column}),
          a.view(), b.view(), {{1}, {0}, {}, {}}, DotAlgorithm::kF32_F32_F32, {});
      for (const kernels::KernelTable* table : kernels::compiled_tables()) {
        if (!kernels::usable(*table)) continue;
        const gemm::GemmProblem problem = problem_of(a, b, out);
        gemm::gemm(problem, gemm::plan(problem, *table, 1));
        EXPECT_TRUE(same(out, expected)) << table->name << ", " << text(shape) << ", " << special;
      }
    }
  }
}

// Sums that underflow to -0 stay -0: no step is added that an operand does not have.
TEST(Paths, KeepSubnormalsAndNegativeZeros) {
  for (const Case& shape : {Case{1, 300, 300}, Case{1, 300, 300, false, true},
                            Case{1, 33, 1024, false, true, false, 1024}, Case{1, 1, 2048, false, true},
                            Case{1, 1, 3000, false, true}, Case{1, 1, 1000, false, true},
                            Case{1, 1, 400, false, true}, Case{1, 1, 90, false, true}, Case{1, 20, 90}}) {
    Random random(11);
    Matrix<float> a(shape.m, shape.k, false, random), b(shape.k, shape.n, shape.b_by_columns, random, shape.b_gap);
    for (std::int64_t s = 0; s < shape.k; ++s) {
      a.at(0, s) = 0x1p-100f;
      for (std::int64_t j = 0; j < shape.n; ++j) b.at(s, j) = j % 2 == 0 ? -0x1p-100f : b.at(s, j) * 0x1p-45f;
    }
    Matrix<float> expected(shape.m, shape.n, false, random);
    Matrix<float> out = expected;
    gemm::reference_dot_general_unchecked(
        MutableTensorView(expected.data(), kType<float>, {shape.m, shape.n}, {expected.row, expected.column}),
        a.view(), b.view(), {{1}, {0}, {}, {}}, DotAlgorithm::kF32_F32_F32, {});
    ASSERT_TRUE(std::signbit(expected.at(0, 0)));
    for (const kernels::KernelTable* table : kernels::compiled_tables()) {
      if (!kernels::usable(*table)) continue;
      const gemm::GemmProblem problem = problem_of(a, b, out);
      gemm::gemm(problem, gemm::plan(problem, *table, 1));
      EXPECT_TRUE(same(out, expected)) << table->name << ", " << text(shape);
    }
  }
}

}  // namespace
}  // namespace matprec
