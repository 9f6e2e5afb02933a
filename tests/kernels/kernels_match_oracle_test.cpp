// Every algorithm on every SIMD target, bit for bit against the scalar oracle, on what breaks kernels:
// sizes around tiles, chunks and blocks, layouts, special values, threads, a hostile float environment.
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/runtime.h"
#include "tests/support/every_target.h"
#include "tests/support/float_state.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using testing::Random;

enum class Data { kNormal, kWide, kSpecial, kTiny, kHuge };

float element(Random& random, Data data) {
  const double x = random.normal();
  switch (data) {
    case Data::kNormal:
      return static_cast<float>(x);
    case Data::kWide:  // exponents over most of the range: products over- and underflow
      return static_cast<float>(std::ldexp(x, static_cast<int>(random.below(180)) - 90));
    case Data::kTiny:  // around the subnormals
      return static_cast<float>(std::ldexp(x, static_cast<int>(random.below(30)) - 145));
    case Data::kHuge:  // splits saturate, sums overflow
      return static_cast<float>(random.below(2) == 0 ? 0x1.FFFFFp127 : -0x1.FF8p127 * random.uniform());
    case Data::kSpecial: {
      constexpr std::uint32_t kBits[] = {0x7F800001, 0xFFC01234, 0x7F800000, 0xFF800000, 0x7F7FFFFF,
                                         0xFF7FFFFF, 0x00000001, 0x807FFFFF, 0x80000000, 0x00000000,
                                         0x7F7F8000, 0x00800000};
      if (random.below(24) != 0) return static_cast<float>(x);
      return std::bit_cast<float>(kBits[random.below(12)]);
    }
  }
  return 0;
}

// Any byte; those that are no finite number in one of the formats only where special values are wanted.
std::uint8_t float8_element(Random& random, Data data) {
  for (;;) {
    const auto byte = static_cast<std::uint8_t>(random.below(256));
    if (data == Data::kSpecial || (byte != 0x80 && (byte & 0x7F) < 0x7C)) return byte;
  }
}

// Elements of any type, some of them beyond the view on both sides.
struct Buffer {
  ElementType type;
  std::vector<char> bytes;
  static constexpr std::int64_t kMargin = 5;  // odd: views begin unaligned

  Buffer(ElementType t, std::int64_t count, Data data, std::uint64_t seed) : type(t) {
    Random random(seed);
    const std::int64_t total = count + 2 * kMargin;
    bytes.resize(static_cast<std::size_t>(total) * size_of(t));
    for (std::int64_t i = 0; i < total; ++i) {
      const float x = element(random, data);
      char* to = bytes.data() + static_cast<std::size_t>(i) * size_of(t);
      if (t == ElementType::kF32) {
        std::memcpy(to, &x, 4);
      } else if (t == ElementType::kF64) {
        const double wide = static_cast<double>(x) * (1 + 0x1p-30 * random.normal());
        std::memcpy(to, &wide, 8);
      } else if (is_float8(t)) {
        *to = static_cast<char>(float8_element(random, data));
      } else {  // the upper half of a float is a bfloat16 and as good a float16 as any
        std::memcpy(to, reinterpret_cast<const char*>(&x) + 2, 2);
      }
    }
  }
  char* first() { return bytes.data() + kMargin * static_cast<std::int64_t>(size_of(type)); }
};

std::string hex(const char* at, ElementType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size_of(type));
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX", static_cast<int>(2 * size_of(type)),
                static_cast<unsigned long long>(bits));
  return text;
}

struct Case {
  std::int64_t m, n, k;
  Data data = Data::kNormal;
  bool transpose_lhs = false, transpose_rhs = false, transpose_out = false;
  ElementType lhs = ElementType::kF32, rhs = ElementType::kF32, out = ElementType::kF32;
  double alpha = 1, beta = 0;
  bool bias = false;
  std::int64_t batch = 1;
  std::optional<ElementType> c = std::nullopt;  // beta's operand; none: the old output
};

Dims matrix_strides(bool transposed, std::int64_t rows, std::int64_t columns) {
  return transposed ? Dims{rows * columns, 1, rows} : Dims{rows * columns, columns, 1};
}

::testing::AssertionResult equal_buffers(const Buffer& got, const Buffer& expected) {
  const std::size_t item = size_of(got.type);
  for (std::size_t at = 0; at < got.bytes.size(); at += item) {
    if (std::memcmp(&got.bytes[at], &expected.bytes[at], item) != 0) {
      return ::testing::AssertionFailure()
             << "first difference at element "
             << static_cast<std::int64_t>(at / item) - Buffer::kMargin << ": got "
             << hex(&got.bytes[at], got.type) << ", oracle " << hex(&expected.bytes[at], got.type);
    }
  }
  return ::testing::AssertionSuccess();
}

class KernelsMatchOracle : public ::testing::TestWithParam<std::tuple<std::string, DotAlgorithm>> {
 protected:
  void SetUp() override {
    if (!testing::target_is_usable(std::get<0>(GetParam()))) {
      GTEST_SKIP() << "this machine has no " << std::get<0>(GetParam());
    }
  }
  static DotAlgorithm algorithm() { return std::get<1>(GetParam()); }
  static ElementType float8_for(ElementType type) {
    constexpr ElementType kStandIns[] = {ElementType::kF8E4M3FN, ElementType::kF8E5M2,
                                         ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2FNUZ};
    return is_float8(type) ? type : kStandIns[static_cast<std::size_t>(type) % 4];
  }

  // Each thread count must give the oracle's bits; 0 is the default.
  static void check(Case c, std::uint64_t seed = 1, const std::vector<int>& thread_counts = {0}) {
    if (!rounds_operands(algorithm())) {  // operands must be 8-bit floats
      c.lhs = float8_for(c.lhs), c.rhs = float8_for(c.rhs);
    }
    SCOPED_TRACE(::testing::Message()
                 << std::get<0>(GetParam()) << " " << to_string(algorithm()) << " m=" << c.m
                 << " n=" << c.n << " k=" << c.k << " data=" << static_cast<int>(c.data)
                 << " transposes=" << c.transpose_lhs << c.transpose_rhs << c.transpose_out
                 << " types=" << to_string(c.lhs) << "," << to_string(c.rhs) << ","
                 << to_string(c.out) << " alpha=" << c.alpha << " beta=" << c.beta
                 << " bias=" << c.bias << " batch=" << c.batch
                 << " c=" << (c.c ? to_string(*c.c) : "out") << " seed=" << seed);
    Buffer lhs(c.lhs, c.batch * c.m * c.k, c.data, seed);
    Buffer rhs(c.rhs, c.batch * c.k * c.n, c.data, seed + 1);
    Buffer bias(ElementType::kF32, c.n, Data::kNormal, seed + 2);
    Buffer added(c.c.value_or(c.out), c.batch * c.m * c.n, Data::kSpecial, seed + 4);
    Buffer got(c.out, c.batch * c.m * c.n, Data::kSpecial, seed + 3);
    Buffer expected = got;
    const TensorView a(lhs.first(), c.lhs, {c.batch, c.m, c.k},
                       matrix_strides(c.transpose_lhs, c.m, c.k));
    const TensorView b(rhs.first(), c.rhs, {c.batch, c.k, c.n},
                       matrix_strides(c.transpose_rhs, c.k, c.n));
    const DotDimensionNumbers numbers = {{2}, {1}, {0}, {0}};
    DotEpilogue epilogue{.alpha = c.alpha, .beta = c.beta};
    if (c.bias) epilogue.bias = TensorView(bias.first(), ElementType::kF32, {c.n});
    if (c.c) epilogue.c = TensorView(added.first(), *c.c, {c.batch, c.m, c.n});
    const auto out = [&c](Buffer& buffer) {
      return MutableTensorView(buffer.first(), c.out, {c.batch, c.m, c.n},
                               matrix_strides(c.transpose_out, c.m, c.n));
    };
    const testing::ScopedTarget target(std::get<0>(GetParam()));
    const Buffer before = got;
    reference_dot_general_into(out(expected), a, b, numbers, algorithm(), epilogue);
    for (int threads : thread_counts) {
      got = before;
      set_num_threads(threads);
      dot_general_into(out(got), a, b, numbers, {.precision = algorithm()}, epilogue);
      EXPECT_TRUE(equal_buffers(got, expected)) << threads << " threads";
    }
    set_num_threads(0);
  }
};

TEST_P(KernelsMatchOracle, SizesAroundTilesAndChunks) {
  // Tiles have 1, 2, 4, 6, 8 or 14 rows and 2 to 32 columns; chunks 128 steps, blocks 256 to 1024.
  for (std::int64_t m : {0, 1, 2, 3, 5, 7, 9, 13, 14, 15, 29}) check({m, 5, 17});
  for (std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65}) check({3, n, 17});
  for (std::int64_t k : {0, 1, 2, 127, 128, 129, 255, 256, 257, 383, 385, 511, 513, 769, 1023, 1024,
                         1025, 1153, 2049, 3001, 4097}) {
    check({2, 3, k});
  }
  check({37, 41, 131});
  check({1, 1, 1});
}

TEST_P(KernelsMatchOracle, VeryLongSums) {
  check({1, 1, 100000});
  check({1, 2, 10007});
}

TEST_P(KernelsMatchOracle, ManyBlocksOfRowsAndColumns) { check({300, 70, 7}); }

TEST_P(KernelsMatchOracle, AnyTransposition) {
  for (int bits = 0; bits < 8; ++bits) {
    check({17, 35, 140, Data::kNormal, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
  }
}

TEST_P(KernelsMatchOracle, ThinProductsOfEitherOrientation) {
  for (bool transposed : {false, true}) {
    check({1, 70, 300, Data::kNormal, false, transposed});
    check({70, 1, 300, Data::kNormal, transposed, false});
    check({200, 3, 130, Data::kNormal, transposed, false, true});
  }
}

TEST_P(KernelsMatchOracle, SpecialValues) {
  for (Data data : {Data::kSpecial, Data::kWide, Data::kTiny, Data::kHuge}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      check({5, 33, 37, data}, seed);
      check({3, 4, 300, data}, seed);
    }
  }
}

TEST_P(KernelsMatchOracle, EveryOperandAndResultType) {
  constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kF32, ElementType::kBF16,
                                    ElementType::kF16};
  for (ElementType lhs : kTypes) {
    for (ElementType rhs : kTypes) {
      for (ElementType out : kTypes) {
        Case c{2, 18, 131};
        c.lhs = lhs, c.rhs = rhs, c.out = out;
        check(c);
        c.data = Data::kSpecial;
        c.transpose_rhs = true;
        c.n = 3;
        check(c);
      }
    }
  }
}

TEST_P(KernelsMatchOracle, EightBitFloats) {
  constexpr ElementType kTypes[] = {ElementType::kF8E4M3FN, ElementType::kF8E5M2,
                                    ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2FNUZ};
  for (ElementType lhs : kTypes) {
    for (ElementType rhs : kTypes) {
      for (Data data : {Data::kNormal, Data::kSpecial}) {
        Case c{2, 18, 131, data};
        c.lhs = lhs, c.rhs = rhs;
        check(c);
        c.out = rhs, c.alpha = 0x1p-9;
        check(c);
      }
    }
    Case mixed{3, 5, 140};
    mixed.lhs = lhs, mixed.rhs = ElementType::kBF16, mixed.out = lhs, mixed.beta = 0.7;
    check(mixed);
  }
}

TEST_P(KernelsMatchOracle, Epilogues) {
  for (ElementType out : {ElementType::kF32, ElementType::kF64, ElementType::kBF16}) {
    for (double alpha : {1.0, -0.3, 0.0}) {
      for (double beta : {0.0, 1.0, 0.7}) {
        for (bool bias : {false, true}) {
          Case c{2, 35, 7};  // what happens after the sum; chunks have their own tests
          c.out = out, c.alpha = alpha, c.beta = beta, c.bias = bias;
          check(c);
          c.transpose_out = true;
          check(c);
        }
      }
    }
  }
}

TEST_P(KernelsMatchOracle, CIsAnotherViewOfAnyType) {
  for (ElementType added : {ElementType::kF64, ElementType::kF32, ElementType::kBF16, ElementType::kF16}) {
    for (ElementType out : {ElementType::kF32, ElementType::kF64, ElementType::kF16}) {
      Case c{3, 35, 130};
      c.c = added, c.out = out, c.alpha = -0.3, c.beta = 0.7;
      check(c);
    }
  }
}

// Where the epilogue is float32, 1e-60 is 0: the operands or c are not read. In float64 it is not.
TEST_P(KernelsMatchOracle, EpilogueFactorsThatRoundToZeroOrOne) {
  for (ElementType out : {ElementType::kF32, ElementType::kF64}) {
    for (double alpha : {1.0, 1e-60, -1e-60, -1e-45, 1 + 0x1p-30}) {
      for (double beta : {0.0, 1e-60, 1e-310, 1.0}) {
        Case c{3, 19, 37, Data::kSpecial};
        c.out = out, c.alpha = alpha, c.beta = beta;
        check(c);
      }
    }
  }
}

TEST_P(KernelsMatchOracle, Batches) {
  Case c{5, 9, 140};
  c.batch = 7;
  check(c);
  c.transpose_lhs = true;
  check(c);
}

// Large enough for eight threads to be worth their wake-up. Threads are above the targets: one target does.
TEST_P(KernelsMatchOracle, AnyNumberOfThreads) {
  if (std::get<0>(GetParam()) != current_target()) {
    GTEST_SKIP() << "run on " << current_target() << " only";
  }
  const std::vector<int> counts = {1, 2, 3, 5, 8};
  check({90, 100, 460}, 1, counts);
  Case batch{30, 40, 130, Data::kNormal, true, true, true};
  batch.batch = 13;
  check(batch, 1, counts);
}

TEST_P(KernelsMatchOracle, HostileFloatEnvironment) {
  const testing::HostileFloatState hostile;
  const testing::FloatState before = testing::FloatState::now();
  check({5, 33, 37, Data::kTiny});
  check({40, 90, 300}, 1, {3});
  Case c{5, 33, 37, Data::kWide};
  c.alpha = 0.3, c.beta = 0.7;
  check(c);
  // Factors that the caller's environment flushes.
  c.alpha = 0x1p-140, c.beta = -0x1p-149;
  check(c);
  c.out = ElementType::kF64;
  c.alpha = 1e-310, c.beta = -1e-310;
  check(c);
  EXPECT_TRUE(before == testing::FloatState::now());
}

// Strides that no leading dimension describes: negative, zero, gaps; several dimensions a side whose
// strides do not merge.
TEST_P(KernelsMatchOracle, NegativeZeroAndUnmergeableStrides) {
  if (!rounds_operands(algorithm())) GTEST_SKIP() << "the operands are float32";
  const testing::ScopedTarget target(std::get<0>(GetParam()));
  Buffer data(ElementType::kF32, 20000, Data::kNormal, 9);
  const float* middle = reinterpret_cast<const float*>(data.first()) + 9000;
  struct Operands {
    TensorView lhs, rhs;
    DotDimensionNumbers numbers;
  };
  const std::vector<Operands> cases = {
      {{middle, {15, 131}, {-133, -1}}, {middle, {131, 33}, {2, -270}}, {{1}, {0}, {}, {}}},
      {{middle, {15, 131}, {0, 3}}, {middle, {131, 33}, {5, 0}}, {{1}, {0}, {}, {}}},
      {{middle, {15, 131}, {7, 0}}, {middle, {131, 33}, {0, 1}}, {{1}, {0}, {}, {}}},
      // k over two dimensions that do not lie as one, listed in another order than they are stored
      {{middle, {3, 11, 5, 13}, {1000, 17, 301, 1}},
       {middle, {13, 6, 11, 7}, {91, 500, 7, 1}},
       {{3, 1}, {0, 2}, {}, {}}},
      // batch and kept dimensions interleaved
      {{middle, {3, 4, 5, 6}, {2, 600, 37, 7}},
       {middle, {6, 3, 7, 4}, {1, 190, -11, 900}},
       {{3}, {0}, {0, 1}, {1, 3}}},
  };
  for (const Operands& c : cases) {
    const DotOptions options = {.precision = algorithm(), .preferred_element_type = ElementType::kF32};
    const Tensor got = dot_general(c.lhs, c.rhs, c.numbers, options);
    Tensor expected(ElementType::kF32, got.shape());
    reference_dot_general_into(expected, c.lhs, c.rhs, c.numbers, algorithm());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(got.size()) * 4), 0)
        << to_string(algorithm()) << " lhs strides " << to_string(c.lhs.strides())
        << " rhs strides " << to_string(c.rhs.strides());
  }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<std::string, DotAlgorithm>>& test) {
  return std::get<0>(test.param) + "_" +
         std::string(info(std::get<1>(test.param)).short_name);
}

std::vector<DotAlgorithm> every_algorithm() {
  std::vector<DotAlgorithm> list;
  for (const AlgorithmInfo& row : kAlgorithms) list.push_back(row.algorithm);
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, KernelsMatchOracle,
                         ::testing::Combine(::testing::ValuesIn(testing::every_target()),
                                            ::testing::ValuesIn(every_algorithm())),
                         name_of);

}  // namespace
}  // namespace matprec
