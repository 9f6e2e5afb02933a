// Operands read where they lie, and packed: the plan decides, and no bit depends on it.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "matprec/tensor.h"
#include "src/gemm/gemm.h"
#include "src/gemm/reference.h"
#include "src/kernels/targets.h"
#include "tests/support/bits.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using testing::Random;

struct Shape {
  std::int64_t m, n, k;
};

// Around tiles, chunks and blocks; the last ones in several row blocks, and in several column blocks.
constexpr Shape kShapes[] = {{1, 40, 5},     {2, 32, 128},   {3, 33, 130},  {7, 31, 40},
                             {13, 70, 129},  {14, 64, 128},  {15, 65, 256}, {29, 95, 257},
                             {5, 33, 1500},  {30, 40, 2100}, {6, 8, 9},     {300, 33, 1030},
                             {2, 8300, 140}, {3, 1100, 1200}, {31, 70, 5000}, {45, 33, 3100}};

template <class T>
constexpr ElementType kType = ElementType::kF32;
template <>
constexpr ElementType kType<double> = ElementType::kF64;
template <>
constexpr ElementType kType<std::int32_t> = ElementType::kS32;

template <class T>
T random_value(Random& random) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<T>(random.next());
  } else {
    return static_cast<T>(random.uniform() * 2 - 1);
  }
}

// Rows further apart than they are long; what lies between and around must not be read: it is NaN.
template <class T>
struct Padded {
  Padded(std::int64_t r, std::int64_t c, Random& random)
      : rows(r),
        columns(c),
        pitch(c + 3),
        memory(static_cast<std::size_t>(5 + r * pitch), std::numeric_limits<T>::quiet_NaN()) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        memory[static_cast<std::size_t>(5 + i * pitch + j)] = random_value<T>(random);
      }
    }
  }
  TensorView view() const { return {memory.data() + 5, kType<T>, {rows, columns}, {pitch, 1}}; }
  gemm::Axis row_axis() const { return axis(rows, pitch); }
  gemm::Axis column_axis() const { return axis(columns, 1); }
  static gemm::Axis axis(std::int64_t size, std::int64_t stride) {
    gemm::Axis result;
    result.add(size, stride);
    return result;
  }

  std::int64_t rows, columns, pitch;
  std::vector<T> memory;
};

::testing::AssertionResult same(const std::vector<std::int32_t>& got,
                                const std::vector<std::int32_t>& expected) {
  return got == expected ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
}
template <class T>
::testing::AssertionResult same(const std::vector<T>& got, const std::vector<T>& expected) {
  return testing::same_bits(std::span<const T>(got), std::span<const T>(expected));
}

template <class T>
void check(const Shape& shape, DotAlgorithm algorithm, bool epilogue) {
  Random random(static_cast<std::uint64_t>(shape.m * 1000003 + shape.n * 1009 + shape.k));
  const Padded<T> a(shape.m, shape.k, random), b(shape.k, shape.n, random),
      c(shape.m, shape.n, random), bias(1, shape.n, random);
  const Padded<T> untouched(shape.m, shape.n, random);

  DotEpilogue reference_epilogue;
  if (epilogue) reference_epilogue = {.alpha = -0.75, .beta = 1.5, .c = c.view(), .bias = bias.view()};
  Padded<T> expected = untouched;
  gemm::reference_dot_general_unchecked(
      MutableTensorView(expected.memory.data() + 5, kType<T>, {shape.m, shape.n}, {expected.pitch, 1}),
      a.view(), b.view(), {{1}, {0}, {}, {}}, algorithm, reference_epilogue);

  Padded<T> out = untouched;
  gemm::GemmProblem problem;
  problem.algorithm = algorithm;
  problem.m = shape.m;
  problem.n = shape.n;
  problem.k = shape.k;
  problem.lhs = {a.memory.data() + 5, kType<T>, {}, a.row_axis(), a.column_axis()};
  problem.rhs = {b.memory.data() + 5, kType<T>, {}, b.column_axis(), b.row_axis()};
  problem.out = out.memory.data() + 5;
  problem.out_type = kType<T>;
  problem.out_rows = out.row_axis();
  problem.out_columns = out.column_axis();
  if (epilogue) {
    problem.alpha = -0.75;
    problem.beta = 1.5;
    problem.c = gemm::Source{c.memory.data() + 5, kType<T>, {}, c.row_axis(), c.column_axis()};
    problem.bias = gemm::Source{bias.memory.data() + 5, kType<T>, {}, Padded<T>::axis(shape.m, 0),
                                bias.column_axis()};
  }
  for (const kernels::KernelTable* table : kernels::compiled_tables()) {
    if (!kernels::usable(*table)) continue;
    for (const int threads : {1, 3}) {
      gemm::GemmPlan plan = gemm::plan(problem, *table, threads);
      plan.path = gemm::GemmPlan::Path::kTiles;
      for (const int in_place : {0, 1, 2, 3}) {
        plan.a_in_place = (in_place & 1) != 0;
        plan.b_in_place = (in_place & 2) != 0;
        out = untouched;
        problem.out = out.memory.data() + 5;
        gemm::gemm(problem, plan);
        EXPECT_TRUE(same(out.memory, expected.memory))
            << table->name << ", " << shape.m << "x" << shape.n << "x" << shape.k << ", "
            << gemm::to_string(plan) << ", " << threads << " threads";
      }
    }
  }
}

TEST(OperandsInPlace, HaveTheBitsOfPackedOnesInFloat32) {
  for (const Shape& shape : kShapes) check<float>(shape, DotAlgorithm::kF32_F32_F32, false);
}

TEST(OperandsInPlace, HaveTheBitsOfPackedOnesBelowAnEpilogue) {
  for (const Shape& shape : kShapes) check<float>(shape, DotAlgorithm::kF32_F32_F32, true);
}

TEST(OperandsInPlace, HaveTheBitsOfPackedOnesInFloat64) {
  for (const Shape& shape : {kShapes[0], kShapes[4], kShapes[7], kShapes[8], Shape{31, 41, 2100}}) {
    check<double>(shape, DotAlgorithm::kF64_F64_F64, false);
    check<double>(shape, DotAlgorithm::kF64_F64_F64, true);
  }
}

TEST(OperandsInPlace, HaveTheBitsOfPackedOnesInIntegers) {
  // Of integers there are tiles of 4 rows and of 1: three rows fit neither.
  for (const Shape& shape : {kShapes[0], kShapes[4], kShapes[7], kShapes[8], Shape{3, 33, 2500},
                             Shape{2, 70, 1300}}) {
    check<std::int32_t>(shape, DotAlgorithm::kInteger, false);
  }
}

gemm::GemmPlan plan_of(const Shape& shape, std::int64_t lhs_pitch, std::int64_t rhs_pitch,
                       DotAlgorithm algorithm = DotAlgorithm::kF32_F32_F32,
                       ElementType type = ElementType::kF32, std::uintptr_t address = 4096) {
  const auto axis = Padded<float>::axis;
  const void* data = reinterpret_cast<const void*>(address);  // not read by a plan
  gemm::GemmProblem problem;
  problem.algorithm = algorithm;
  problem.m = shape.m;
  problem.n = shape.n;
  problem.k = shape.k;
  problem.lhs = {data, type, {}, axis(shape.m, lhs_pitch), axis(shape.k, 1)};
  problem.rhs = {data, type, {}, axis(shape.n, 1), axis(shape.k, rhs_pitch)};
  problem.out_rows = axis(shape.m, shape.n);
  problem.out_columns = axis(shape.n, 1);
  return gemm::plan(problem, kernels::current(), 1);
}

TEST(PlanInPlace, LeavesWhatIsNearWhereItIs) {
  const gemm::GemmPlan small = plan_of({150, 64, 64}, 64, 64);
  EXPECT_TRUE(small.a_in_place && small.b_in_place);
  EXPECT_EQ(gemm::to_string(small).find("in place, tiles"), 0u) << gemm::to_string(small);
  const std::int64_t width = kernels::current().tile_columns_f32;
  EXPECT_TRUE(plan_of({500, width, 50000}, 1000, width).b_in_place);  // lines of B that follow one another
  const gemm::GemmPlan large = plan_of({1000, 1000, 1000}, 1000, 1000);
  EXPECT_TRUE(large.a_in_place && !large.b_in_place);
}

TEST(PlanInPlace, PacksAChunkAtATimeForFewRows) {
  const gemm::GemmPlan few = plan_of({8, 4096, 4096}, 4100, 4096);
  EXPECT_TRUE(few.a_in_place && !few.b_in_place);
  EXPECT_EQ(few.block_steps, kernels::kChunkSteps);
}

TEST(PlanInPlace, PacksRowsThatCollideInTheCache) {
  EXPECT_FALSE(plan_of({1024, 1024, 1024}, 1024, 1024).a_in_place);
  EXPECT_FALSE(plan_of({64, 64, 64}, -2048, 64).a_in_place);
  EXPECT_FALSE(plan_of({64, 64, 64}, 2047, 64).a_in_place);  // 4 bytes from one set of the cache to the next
  EXPECT_TRUE(plan_of({64, 64, 64}, 512, 64).a_in_place);
}

TEST(PlanInPlace, PacksWhatIsRoundedOrConverted) {
  const Shape shape{64, 64, 64};
  for (const AlgorithmInfo& row : kAlgorithms) {
    const gemm::GemmPlan plan = plan_of(shape, 64, 64, row.algorithm);
    const bool whole =
        row.algorithm == DotAlgorithm::kF32_F32_F32 || row.algorithm == DotAlgorithm::kBF16_BF16_F32_X9 ||
        row.algorithm == DotAlgorithm::kANY_F8_ANY_F8_F32;  // which never meets float32
    EXPECT_EQ(plan.a_in_place, whole) << row.name;
    EXPECT_EQ(plan.b_in_place, whole) << row.name;
  }
  EXPECT_FALSE(plan_of(shape, 64, 64, DotAlgorithm::kF32_F32_F32, ElementType::kF16).a_in_place);
}

TEST(PlanInPlace, PacksElementsThatAreNotAligned) {
  EXPECT_FALSE(plan_of({64, 64, 64}, 64, 64, DotAlgorithm::kF32_F32_F32, ElementType::kF32, 4098).b_in_place);
}

}  // namespace
}  // namespace matprec
