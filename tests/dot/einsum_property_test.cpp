// einsum on many random equations: equal to naive sums, and never a crash on garbage.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "matprec/einsum.h"
#include "matprec/error.h"
#include "tests/support/clean_environment.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {
namespace {

// Small integers, so that every order of the sum is exact in float32.
Tensor small_integers(const Dims& shape, Random* random) {
  Tensor t(ElementType::kF32, shape);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    t.data<float>()[i] = static_cast<float>(random->below(5) - 2);
  }
  return t;
}

// A random equation with its operands. Labels are characters: letters, and '0', '1' for the
// dimensions of the ellipsis, '0' the last.
struct Problem {
  std::string equation;
  std::vector<std::string> terms;  // the labels of each operand's dimensions
  std::string output;
  std::map<char, std::int64_t> sizes;
  std::vector<Tensor> operands;
};

std::string with_ellipsis(const std::string& labels) {
  const std::size_t first = labels.find_first_of("01");
  if (first == labels.npos) return labels;
  const std::size_t last = labels.find_last_of("01");
  return labels.substr(0, first) + "..." + labels.substr(last + 1);
}

std::string ellipsis_of(std::int64_t rank) { return rank == 2 ? "10" : rank == 1 ? "0" : ""; }

Problem random_problem(Random* random) {
  Problem p;
  const std::string letters = "aBcDe";
  for (const char label : letters + "01")
    p.sizes[label] = random->below(8) == 0 ? random->below(2) : 2 + random->below(3);
  const std::int64_t count = 1 + random->below(4);
  std::int64_t ellipsis = 0;
  std::string used;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string term;
    for (std::int64_t n = random->below(4); n > 0; --n) {
      term += letters[static_cast<std::size_t>(random->below(5))];
    }
    const std::int64_t rank = random->below(3);
    term.insert(static_cast<std::size_t>(random->below(static_cast<std::int64_t>(term.size()) + 1)),
                ellipsis_of(rank));
    ellipsis = std::max(ellipsis, rank);
    Dims shape;
    std::map<char, bool> broadcasts;  // a letter that stands twice has one size in an operand
    for (const char label : term) {
      const bool repeats =
          broadcasts.try_emplace(label, random->below(label < 'A' ? 4 : 10) == 0).first->second;
      shape.push_back(repeats ? 1 : p.sizes[label]);
    }
    p.operands.push_back(small_integers(shape, random));
    if (i > 0) p.equation += ',';
    p.equation += with_ellipsis(term);
    p.terms.push_back(term);
    used += term;
  }
  // A label that is 1 in every operand has size 1.
  for (const char label : letters + ellipsis_of(2)) {
    std::int64_t size = 1;
    for (std::size_t i = 0; i < p.terms.size(); ++i) {
      const std::size_t at = p.terms[i].find(label);
      if (at != p.terms[i].npos && p.operands[i].shape()[at] != 1) size = p.operands[i].shape()[at];
    }
    p.sizes[label] = size;
  }
  std::string distinct;
  for (const char label : letters) {
    if (used.find(label) != used.npos) distinct += label;
  }
  if (random->below(3) == 0) {  // implicit output
    std::sort(distinct.begin(), distinct.end());
    p.output = ellipsis_of(ellipsis);
    for (const char letter : distinct) {
      if (std::count(used.begin(), used.end(), letter) == 1) p.output += letter;
    }
    return p;
  }
  for (const char letter : distinct) {
    if (random->below(2) == 0) {
      p.output.insert(
          static_cast<std::size_t>(random->below(static_cast<std::int64_t>(p.output.size()) + 1)),
          1, letter);
    }
  }
  if (ellipsis > 0 && random->below(5) != 0) {
    p.output.insert(
        static_cast<std::size_t>(random->below(static_cast<std::int64_t>(p.output.size()) + 1)),
        ellipsis_of(ellipsis));
  }
  p.equation += "->" + with_ellipsis(p.output);
  return p;
}

// One loop over all labels.
std::vector<double> naive(const Problem& p, Dims* shape) {
  std::string labels = p.output;
  for (const std::string& term : p.terms) {
    for (const char label : term) {
      if (labels.find(label) == labels.npos) labels += label;
    }
  }
  std::int64_t results = 1, steps = 1;
  for (const char label : p.output) {
    shape->push_back(p.sizes.at(label));
    results *= p.sizes.at(label);
  }
  for (const char label : labels.substr(p.output.size())) steps *= p.sizes.at(label);
  std::vector<double> sums(static_cast<std::size_t>(results), 0.0);
  for (std::int64_t r = 0; r < results; ++r) {
    for (std::int64_t s = 0; s < steps; ++s) {
      std::map<char, std::int64_t> index;
      std::int64_t rest = r * steps + s;
      for (std::size_t i = labels.size(); i-- > 0;) {
        index[labels[i]] = rest % p.sizes.at(labels[i]);
        rest /= p.sizes.at(labels[i]);
      }
      double product = 1;
      for (std::size_t o = 0; o < p.operands.size(); ++o) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < p.terms[o].size(); ++d) {
          const std::int64_t size = p.operands[o].shape()[d];
          at = at * size + (size == 1 ? 0 : index[p.terms[o][d]]);
        }
        product *= static_cast<double>(p.operands[o].data<float>()[at]);
      }
      sums[static_cast<std::size_t>(r)] += product;
    }
  }
  return sums;
}

TEST(EinsumProperty, EqualsNaiveSumsForRandomEquations) {
  Random random(20);
  std::int64_t checked = 0;
  for (int round = 0; round < 1500; ++round) {
    const Problem p = random_problem(&random);
    Dims shape;
    const std::vector<double> expected = naive(p, &shape);
    const double largest =
        expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end());
    ASSERT_LT(largest, 0x1p24) << "not exact";
    const std::vector<TensorView> views(p.operands.begin(), p.operands.end());
    const Tensor got = einsum(p.equation, views);
    ASSERT_EQ(got.shape(), shape) << p.equation;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(static_cast<double>(got.data<float>()[i]), expected[i])
          << p.equation << ", round " << round << ", element " << i;
    }
    checked += got.size();
    const EinsumExplanation e = explain_einsum(p.equation, views);
    EXPECT_EQ(e.shape, shape) << p.equation;
  }
  EXPECT_GT(checked, 10000);
}

// A step's own equation is one that einsum understands, and the steps one after another are the
// whole.
TEST(EinsumProperty, TheExplainedStepsGiveTheSameBits) {
  Random random(21);
  for (int round = 0; round < 300; ++round) {
    const Problem p = random_problem(&random);
    const std::vector<TensorView> views(p.operands.begin(), p.operands.end());
    const EinsumExplanation e = explain_einsum(p.equation, views);
    const Tensor whole = einsum(p.equation, views);
    std::vector<std::string> equations;
    for (const EinsumStepExplanation& step : e.steps) equations.push_back(step.equation);
    bool has_plain_operands = !e.steps.empty();
    for (const std::string& term : p.terms) {
      std::string sorted = term;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        has_plain_operands = false;
    }
    for (std::size_t i = 0; i < p.operands.size(); ++i) {
      for (std::size_t d = 0; d < p.terms[i].size(); ++d) {
        if (p.operands[i].shape()[d] != p.sizes.at(p.terms[i][d])) has_plain_operands = false;
      }
    }
    if (!has_plain_operands) continue;  // diagonals and broadcasts are taken before the first step
    std::vector<Tensor> list = p.operands;
    for (const EinsumStepExplanation& step : e.steps) {
      if (!step.rhs) {
        list[step.lhs] = einsum(step.equation, {list[step.lhs]});
        continue;
      }
      Tensor result = einsum(step.equation, {list[step.lhs], list[*step.rhs]});
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(*step.rhs));
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(step.lhs));
      list.push_back(std::move(result));
    }
    ASSERT_EQ(list.size(), 1u) << p.equation;
    ASSERT_EQ(list[0].shape(), whole.shape()) << p.equation;
    for (std::int64_t i = 0; i < whole.size(); ++i) {
      ASSERT_EQ(list[0].data<float>()[i], whole.data<float>()[i]) << p.equation;
    }
  }
}

TEST(EinsumProperty, GarbageIsRefusedOrComputedNeverMore) {
  Random random(22);
  const std::string alphabet = "ijkIJ,,,->->..... \n\x80\"\\";
  int computed = 0, refused = 0;
  for (int round = 0; round < 8000; ++round) {
    std::string equation;
    for (std::int64_t n = random.below(12); n > 0; --n) {
      equation += alphabet[static_cast<std::size_t>(
          random.below(static_cast<std::int64_t>(alphabet.size())))];
    }
    if (random.below(3) == 0) equation.insert(equation.size() / 2, "->");
    if (random.below(3) == 0) equation.insert(equation.size() / 3, "...");
    std::vector<Tensor> operands;
    for (std::int64_t n = random.below(4); n > 0; --n) {
      Dims shape;
      for (std::int64_t r = random.below(4); r > 0; --r) shape.push_back(random.below(3));
      operands.push_back(small_integers(shape, &random));
    }
    const std::vector<TensorView> views(operands.begin(), operands.end());
    try {
      einsum(equation, views);
      ++computed;
    } catch (const Error& e) {
      ASSERT_EQ(std::string(e.what()).find("einsum: "), 0u) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(computed, 100);
  EXPECT_GT(refused, 4000);
}

}  // namespace
}  // namespace matprec::testing
