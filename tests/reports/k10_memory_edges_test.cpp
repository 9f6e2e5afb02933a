// Kind K10: odd sizes that read or write past the end of their memory.
// OpenBLAS#3264, OpenBLAS#3273 (IL-59)
//
// Operands and output touch pages that cannot be accessed, at their end or at their beginning; output rows
// have gaps of three elements that must keep what they held.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "tests/support/clean_environment.h"
#include "tests/support/every_target.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

constexpr std::array kSizes = {1, 3, 5, 7, 15, 17, 31, 33, 63, 65};
constexpr std::int64_t kGap = 3;
constexpr unsigned char kCanary = 0xA5;

enum class Edge { kEnd, kBeginning };

// Accessible memory between two pages that are not.
class FencedMemory {
 public:
  explicit FencedMemory(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_;
    void* all = mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<char*>(all) + page_;
    if (mprotect(start_, inner_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~FencedMemory() { munmap(start_ - page_, inner_ + 2 * page_); }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  char* place(std::size_t bytes, Edge edge) {
    return edge == Edge::kEnd ? start_ + inner_ - bytes : start_;
  }

 private:
  std::size_t page_, inner_ = 0;
  char* start_ = nullptr;
};

// One case of the many: what varies beside the sizes.
struct Variant {
  DotAlgorithm algorithm;
  ElementType type;      // of operands and output
  bool transposed;       // both operands stored with the other dimension fastest
  Edge edge;
};

class MemoryEdges : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t kMost = 65 * (65 + kGap) * 8;

  void SetUp() override {
    if (!target_is_usable(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    set_target(GetParam());
  }
  void TearDown() override { set_target(""); }

  TensorView operand(FencedMemory& memory, const Variant& v, std::int64_t rows,
                     std::int64_t columns) {
    const std::size_t bytes = static_cast<std::size_t>(rows * columns) * size_of(v.type);
    char* data = memory.place(bytes, v.edge);
    std::memcpy(data, values_.at(static_cast<std::size_t>(v.type)).data(), bytes);
    return {data, v.type, {rows, columns}, v.transposed ? Dims{1, rows} : Dims{columns, 1}};
  }

  void check(const Variant& v, std::int64_t m, std::int64_t n, std::int64_t k) {
    SCOPED_TRACE(::testing::Message() << GetParam() << " " << to_string(v.algorithm) << " "
                                      << to_string(v.type) << " m=" << m << " n=" << n << " k=" << k
                                      << " transposed=" << v.transposed
                                      << " edge=" << static_cast<int>(v.edge));
    const TensorView a = operand(a_, v, m, k), b = operand(b_, v, k, n);
    const std::size_t bytes = static_cast<std::size_t>(m * (n + kGap) - kGap) * size_of(v.type);
    char* out = c_.place(bytes, v.edge);
    std::memset(out, kCanary, bytes);
    std::vector<char> expected(bytes, static_cast<char>(kCanary));
    reference_dot_general_into({expected.data(), v.type, {m, n}, {n + kGap, 1}}, a, b,
                               matrix_product(), v.algorithm);
    dot_general_into({out, v.type, {m, n}, {n + kGap, 1}}, a, b, matrix_product(),
                     {.precision = v.algorithm});
    ASSERT_EQ(std::memcmp(out, expected.data(), bytes), 0);
  }

 private:
  static std::array<std::vector<char>, 4> random_values() {
    std::array<std::vector<char>, 4> all;
    const Matrix numbers = normal_matrix(65, 65, 1);
    for (std::size_t t = 0; t < all.size(); ++t) {
      const Tensor x = convert(numbers.view(), static_cast<ElementType>(t));
      const char* data = static_cast<const char*>(x.data());
      all.at(t).assign(data, data + static_cast<std::size_t>(x.size()) * size_of(x.type()));
    }
    return all;
  }

  FencedMemory a_{kMost}, b_{kMost}, c_{kMost};
  std::array<std::vector<char>, 4> values_ = random_values();
};

TEST_P(MemoryEdges, OddSizesStayInsideTheirMemory) {
  constexpr std::array kTypes = {ElementType::kF32, ElementType::kF64, ElementType::kBF16,
                                 ElementType::kF16};
  // Counters of coprime periods: every size meets every algorithm, type, layout and edge.
  std::size_t turn = 0;
  for (const int m : kSizes) {
    for (const int n : kSizes) {
      for (const int k : kSizes) {
        check({rounding_rows()[turn % 11].algorithm, kTypes.at(turn / 3 % 4), turn / 7 % 2 == 1,
               turn / 5 % 2 == 0 ? Edge::kEnd : Edge::kBeginning},
              m, n, k);
        if (HasFatalFailure()) return;
        ++turn;
      }
    }
  }
}

// The types and layouts that need no copy of the operands, on all sizes.
TEST_P(MemoryEdges, OddSizesInFloat32StayInsideTheirMemory) {
  for (const bool transposed : {false, true}) {
    for (const int m : kSizes) {
      for (const int n : kSizes) {
        for (const int k : kSizes) {
          check({DotAlgorithm::kF32_F32_F32, ElementType::kF32, transposed, Edge::kEnd}, m, n, k);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(MemoryEdges, ConversionsStayInsideTheirMemory) {
  FencedMemory in(kMost), out(kMost);
  for (const Edge edge : {Edge::kEnd, Edge::kBeginning}) {
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        for (std::int64_t count = 1; count <= 65; ++count) {
          const auto bytes = [count](int type) {
            return static_cast<std::size_t>(count) * size_of(static_cast<ElementType>(type));
          };
          char* x = in.place(bytes(from), edge);
          std::memset(x, 0x3C, bytes(from));
          convert_into({out.place(bytes(to), edge), static_cast<ElementType>(to), {count}},
                       {x, static_cast<ElementType>(from), {count}});
          round_to({x, static_cast<ElementType>(from), {count}}, PrecisionType::kTF32);
          split({x, static_cast<ElementType>(from), {count}}, PrecisionType::kBF16, 3);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MemoryEdges, ::testing::ValuesIn(every_target()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace matprec::testing
