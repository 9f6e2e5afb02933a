// The order of summation, found from outside and compared with the rule. The method is FPRev (Xie,
// Shan, Wang, Zhang and Jiang, USENIX ATC 2025): all products are 1 but a huge +M at i and -M at j.
// M swallows every 1 that is added to it before -M takes it away, so that the result counts the
// products outside the smallest subtree that holds both i and j. From these counts the whole tree
// follows. It needs nothing but the public API, so that it finds a mistake that the kernels and the
// oracle share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/runtime.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

using Leaves = std::vector<int>;     // sorted
using Tree = std::set<Leaves>;       // the leaves below each inner node
using Query = std::pair<int, int>;   // where +M and -M stand
using Counts = std::vector<double>;  // result of each query, in units of one product

// ---- The tree of the rule (docs/numerics.md, MP-ACC-1), generated here on its own ----

Leaves leaves_between(int first, int last) {
  Leaves leaves(static_cast<std::size_t>(last - first));
  std::iota(leaves.begin(), leaves.end(), first);
  return leaves;
}

// Joins chunks first..last-1 (of 128 steps, the last one shorter) into `tree`.
void join_chunks(int first, int last, int k, Tree& tree) {
  if (last - first < 2) return;
  int p = 1;
  while (2 * p < last - first) p *= 2;
  join_chunks(first, first + p, k, tree);
  join_chunks(first + p, last, k, tree);
  tree.insert(leaves_between(128 * first, std::min(128 * last, k)));
}

Tree tree_of_the_rule(int k) {
  Tree tree;
  for (int i = 0; i < k; ++i) {
    if (i % 128 != 0) tree.insert(leaves_between(i - i % 128, i + 1));
  }
  join_chunks(0, (k + 127) / 128, k, tree);
  return tree;
}

// ---- The tree of an implementation ----

using Implementation = std::function<Counts(std::span<const Query>)>;

// Adds the inner nodes over `leaves`, which is a whole subtree, to `tree`.
void rebuild(const Implementation& count_outside, int k, const Leaves& leaves, Tree& tree) {
  if (leaves.size() < 2) return;
  std::vector<Query> queries;
  for (std::size_t j = 1; j < leaves.size(); ++j) queries.emplace_back(leaves[0], leaves[j]);
  const Counts outside = count_outside(queries);
  // Leaves grouped by the size of the smallest subtree they share with the first one.
  std::map<long, Leaves> groups;
  for (std::size_t j = 1; j < leaves.size(); ++j) {
    groups[k - std::lround(outside[j - 1])].push_back(leaves[j]);
  }
  Leaves joined = {leaves[0]};
  for (const auto& [size, group] : groups) {
    rebuild(count_outside, k, group, tree);
    joined.insert(joined.end(), group.begin(), group.end());
    std::sort(joined.begin(), joined.end());
    ASSERT_EQ(static_cast<long>(joined.size()), size) << "no tree has these counts";
    tree.insert(joined);
  }
}

Tree tree_of(const Implementation& count_outside, int k) {
  Tree tree;
  rebuild(count_outside, k, leaves_between(0, k), tree);
  return tree;
}

// ---- What is summed ----

struct Probe {
  float left_one, right_one;  // factors of an ordinary product
  float left_mask;            // left factor of +M; the right one is right_one
};

// M must swallow all ordinary products together, and its factors be in range of the algorithm's
// operands.
Probe probe_of(DotAlgorithm algorithm) {
  if (info(algorithm).operand == PrecisionType::kF16) return {0x1p-24f, 0x1p15f, 0x1p15f};
  return {1.0f, 1.0f, 0x1p100f};
}

// Factors with low parts, so that every FMA of a step adds something: 1 + 2^-8 lies on a bfloat16
// tie and 1 + 2^-11 on a tf32 one (h = 1, m is the rest). All products with the mask are exact, so
// that +M and -M cancel.
Probe probe_with_low_parts(DotAlgorithm algorithm) {
  if (algorithm == DotAlgorithm::kTF32_TF32_F32_X3) {
    return {1 + 0x1p-11f, 1 + 0x1p-11f, 0x1p100f * (1 + 0x1p-11f)};
  }
  if (algorithm == DotAlgorithm::kBF16_BF16_F32_X3) {
    return {1 + 0x1p-8f, 1 + 0x1p-8f, 0x1p100f * (1 + 0x1p-8f)};
  }
  return {1 + 0x1p-8f + 0x1p-17f, 1 + 0x1p-8f + 0x1p-17f, 0x1p100f};
}

// One row of left factors a query.
Matrix left_factors(std::span<const Query> queries, int k, const Probe& probe) {
  Matrix a(static_cast<std::int64_t>(queries.size()), k);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const auto row = static_cast<std::int64_t>(q);
    for (int i = 0; i < k; ++i) a.at(row, i) = probe.left_one;
    a.at(row, queries[q].first) = probe.left_mask;
    a.at(row, queries[q].second) = -probe.left_mask;
  }
  return a;
}

// The result in units of one ordinary product.
double in_units(float result, const Probe& probe) {
  return result / (static_cast<double>(probe.left_one) * probe.right_one);
}

using Product = std::function<Matrix(const Matrix&, const Matrix&)>;

Matrix filled(std::int64_t rows, std::int64_t columns, float value) {
  return Matrix(rows, columns, std::vector<float>(static_cast<std::size_t>(rows * columns), value));
}

// Each query a row of the left operand, against `columns` equal columns; the entries of a row must
// agree.
Implementation queries_as_rows(const Product& product, int k, std::int64_t columns, Probe probe) {
  return [=](std::span<const Query> queries) {
    const Matrix c = product(left_factors(queries, k, probe), filled(k, columns, probe.right_one));
    Counts counts;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 1; j < columns; ++j) EXPECT_EQ(c.at(i, j), c.at(i, 0)) << i << ' ' << j;
      counts.push_back(in_units(c.at(i, 0), probe));
    }
    return counts;
  };
}

// Each query a column of the right operand, against `rows` equal rows.
Implementation queries_as_columns(const Product& product, int k, std::int64_t rows, Probe probe) {
  return [=](std::span<const Query> queries) {
    const Matrix c =
        product(filled(rows, k, probe.right_one), transposed(left_factors(queries, k, probe)));
    Counts counts;
    for (std::int64_t j = 0; j < c.columns; ++j) {
      for (std::int64_t i = 1; i < rows; ++i) EXPECT_EQ(c.at(i, j), c.at(0, j)) << i << ' ' << j;
      counts.push_back(in_units(c.at(0, j), probe));
    }
    return counts;
  };
}

// Each query in every row of a product of its own: every position of a tile answers every query.
Implementation query_in_all_rows(const Product& product, int k, std::int64_t rows,
                                 std::int64_t columns, Probe probe) {
  return [=](std::span<const Query> queries) {
    Counts counts;
    for (const Query& query : queries) {
      const std::vector<Query> same(static_cast<std::size_t>(rows), query);
      const Counts all = queries_as_rows(product, k, columns, probe)(same);
      for (const double count : all) EXPECT_EQ(count, all[0]);
      counts.push_back(all[0]);
    }
    return counts;
  };
}

Product oracle(DotAlgorithm algorithm) {
  return [=](const Matrix& a, const Matrix& b) { return oracle_product(algorithm, a, b); };
}
Product library(DotAlgorithm algorithm) {
  return [=](const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    dot_general_into(c.view(), a.view(), b.view(), matrix_product(), {.precision = algorithm});
    return c;
  };
}
// A rank-1 operand with a rank-1 operand, once a row.
Product library_dot(DotAlgorithm algorithm) {
  return [=](const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, 1);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const Dims size = {a.columns}, stride = {1};
      dot_general_into(
          MutableTensorView(&c.at(i, 0), Dims{}, Dims{}),
          TensorView(a.values.data() + i * a.columns, size, stride),
          TensorView(b.values.data(), size, stride),
          {.lhs_contracting = {0}, .rhs_contracting = {0}, .lhs_batch = {}, .rhs_batch = {}},
          {.precision = algorithm});
    }
    return c;
  };
}

// Sizes: one step, one chunk and its edges, two chunks and a bit, tree shapes of 3, 5 and 8 chunks.
constexpr int kSizes[] = {1, 2, 127, 128, 129, 257, 300, 640, 1000};

std::vector<DotAlgorithm> algorithms() {
  std::vector<DotAlgorithm> all;
  for (const AlgorithmInfo& row : rounding_rows()) {
    if (row.accumulation == PrecisionType::kF32 || row.accumulation == PrecisionType::kF64) {
      all.push_back(row.algorithm);
    }
  }
  return all;
}

class SummationTree : public ::testing::TestWithParam<DotAlgorithm> {
 protected:
  void TearDown() override {
    set_num_threads(0);
    set_target("");
  }
  DotAlgorithm algorithm() const { return GetParam(); }
  Probe probe() const { return probe_of(algorithm()); }
};

TEST_P(SummationTree, OracleFollowsTheRule) {
  for (const int k : kSizes) {
    EXPECT_EQ(tree_of(queries_as_rows(oracle(algorithm()), k, 1, probe()), k), tree_of_the_rule(k))
        << "K = " << k;
  }
}

TEST_P(SummationTree, DotFollowsTheRule) {
  for (const int k : kSizes) {
    EXPECT_EQ(tree_of(queries_as_rows(library_dot(algorithm()), k, 1, probe()), k),
              tree_of_the_rule(k))
        << "K = " << k;
  }
}

TEST_P(SummationTree, MatrixTimesVectorFollowsTheRule) {
  for (const int k : kSizes) {
    EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 1, probe()), k), tree_of_the_rule(k))
        << "K = " << k;
  }
}

TEST_P(SummationTree, VectorTimesMatrixFollowsTheRule) {
  for (const int k : kSizes) {
    EXPECT_EQ(tree_of(queries_as_columns(library(algorithm()), k, 1, probe()), k),
              tree_of_the_rule(k))
        << "K = " << k;
  }
}

TEST_P(SummationTree, MatrixTimesMatrixFollowsTheRule) {
  for (const int k : kSizes) {
    EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 17, probe()), k),
              tree_of_the_rule(k))
        << "K = " << k;
    EXPECT_EQ(tree_of(queries_as_columns(library(algorithm()), k, 7, probe()), k),
              tree_of_the_rule(k))
        << "K = " << k;
  }
}

TEST_P(SummationTree, EveryTilePositionFollowsTheRule) {
  // Beyond one tile both ways, with an edge: tiles are at most 16 x 48.
  const int k = 140;
  EXPECT_EQ(tree_of(query_in_all_rows(library(algorithm()), k, 17, 50, probe()), k),
            tree_of_the_rule(k));
}

TEST_P(SummationTree, EveryTargetAndThreadCountFollowTheRule) {
  for (const TargetInfo& target : targets()) {
    if (!target.usable) continue;
    set_target(target.name);
    for (const int threads : {1, 2, 3}) {
      set_num_threads(threads);
      for (const int k : {129, threads == 3 ? 640 : 300}) {
        const auto where = [&] {
          return std::string(target.name) + ", threads " + std::to_string(threads) +
                 ", K = " + std::to_string(k);
        };
        const Tree expected = tree_of_the_rule(k);
        EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 1, probe()), k), expected)
            << where();
        EXPECT_EQ(tree_of(queries_as_columns(library(algorithm()), k, 1, probe()), k), expected)
            << where();
        EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 5, probe()), k), expected)
            << where();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, SummationTree, ::testing::ValuesIn(algorithms()),
                         [](const ::testing::TestParamInfo<DotAlgorithm>& p) {
                           return std::string(matprec::info(p.param).short_name);
                         });

class LowPartTree : public SummationTree {};

TEST_P(LowPartTree, EveryFmaOfAStepJoinsTheChainOfItsStep) {
  const Probe low = probe_with_low_parts(algorithm());
  for (const int k : kSizes) {
    const Tree expected = tree_of_the_rule(k);
    EXPECT_EQ(tree_of(queries_as_rows(oracle(algorithm()), k, 1, low), k), expected) << "K = " << k;
    EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 1, low), k), expected)
        << "K = " << k;
    EXPECT_EQ(tree_of(queries_as_rows(library(algorithm()), k, 17, low), k), expected)
        << "K = " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, LowPartTree,
                         ::testing::Values(DotAlgorithm::kBF16_BF16_F32_X3,
                                           DotAlgorithm::kBF16_BF16_F32_X6,
                                           DotAlgorithm::kTF32_TF32_F32_X3),
                         [](const ::testing::TestParamInfo<DotAlgorithm>& p) {
                           return std::string(matprec::info(p.param).short_name);
                         });

}  // namespace
}  // namespace matprec::testing
