#include "src/dot/overlap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace matprec::contraction {
namespace {

// Both questions are of one form: has  c_1 x_1 + ... + c_n x_n = target  a solution with
// 0 <= x_i <= bound_i ? It is NP-complete in general, and easy for the strides that occur: the
// largest coefficients leave little choice. So: depth-first from the largest coefficient down,
// pruned by what the rest can reach and by the rest's greatest common divisor, with a limit on the
// work.
using Wide = __int128;  // offsets of a 64-bit shape and stride do not fit 64 bits

constexpr std::int64_t kWorkLimit = 100'000;  // values tried: a few milliseconds at most

struct Term {
  Wide coefficient;  // positive
  Wide bound;        // of its unknown
};

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

class BoundedEquation {
 public:
  explicit BoundedEquation(std::vector<Term> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
    reach_.assign(terms_.size() + 1, 0);
    divisor_.assign(terms_.size() + 1, 0);
    for (std::size_t i = terms_.size(); i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms_[i].coefficient * terms_[i].bound;
      divisor_[i] = gcd(terms_[i].coefficient, divisor_[i + 1]);
    }
  }

  Overlap has_solution(Wide target) { return answer(search(0, target, false)); }

  // The same, not counting the solution in which every unknown is at half its bound.
  Overlap has_solution_off_center(Wide target) { return answer(search(0, target, true)); }

 private:
  static Overlap answer(std::optional<bool> found) {
    if (!found) return Overlap::kUnproven;
    return *found ? Overlap::kYes : Overlap::kNo;
  }

  // Nothing: out of work. `centered`: every unknown so far is at half its bound, and that is
  // excluded.
  std::optional<bool> search(std::size_t i, Wide target, bool centered) {
    if (i == terms_.size()) return target == 0 && !centered;
    if (target < 0 || target > reach_[i] || target % divisor_[i] != 0) return false;
    const auto [coefficient, bound] = terms_[i];
    // What the later terms cannot reach, this one must bring.
    const Wide missing = target - reach_[i + 1];
    Wide x = missing > 0 ? (missing + coefficient - 1) / coefficient : 0;
    const Wide last = std::min(bound, target / coefficient);
    for (; x <= last; ++x) {
      if (++work_ > kWorkLimit) return std::nullopt;
      const std::optional<bool> found =
          search(i + 1, target - coefficient * x, centered && 2 * x == bound);
      if (!found || *found) return found;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::vector<Wide> reach_;    // the largest sum of the terms from i on
  std::vector<Wide> divisor_;  // of all coefficients from i on
  std::int64_t work_ = 0;
};

// Unknowns with equal coefficients act as one with the sum of their bounds.
void add_term(std::vector<Term>& terms, Wide coefficient, Wide bound) {
  if (coefficient == 0 || bound == 0) return;
  for (Term& term : terms) {
    if (term.coefficient == coefficient) {
      term.bound += bound;
      return;
    }
  }
  terms.push_back({coefficient, bound});
}

Wide magnitude(std::int64_t x) { return x < 0 ? -Wide{x} : Wide{x}; }

// The view's address range and its steps, in bytes.
struct Extent {
  Wide first = 0, last = 0;  // of the first bytes of elements
  Wide element = 0;          // bytes of one
  std::vector<Term> steps;   // coefficient: stride; bound: size - 1
  bool empty = false;
  bool impossible = false;  // no memory is that large
};

Extent extent_of(const TensorView& view) {
  constexpr Wide kNoMemoryIsLarger = Wide{1} << 64;
  Extent extent;
  extent.element = static_cast<Wide>(size_of(view.type()));
  extent.first = static_cast<Wide>(reinterpret_cast<std::uintptr_t>(view.data()));
  extent.last = extent.first;
  for (const std::int64_t size : view.shape()) extent.empty = extent.empty || size == 0;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const Wide steps = Wide{view.shape()[d]} - 1;
    const Wide stride = magnitude(view.strides()[d]);
    if (steps <= 0) continue;
    if (stride * steps > kNoMemoryIsLarger) {
      extent.impossible = true;
      continue;
    }
    const Wide bytes = stride * steps * extent.element;
    (view.strides()[d] < 0 ? extent.first : extent.last) += view.strides()[d] < 0 ? -bytes : bytes;
    extent.steps.push_back({stride * extent.element, steps});
  }
  return extent;
}

}  // namespace

Overlap share_memory(const TensorView& a, const TensorView& b) {
  const Extent ea = extent_of(a), eb = extent_of(b);
  if (ea.empty || eb.empty) return Overlap::kNo;
  if (ea.impossible || eb.impossible) return Overlap::kUnproven;
  if (ea.last + ea.element <= eb.first || eb.last + eb.element <= ea.first) return Overlap::kNo;

  // first_a + (steps of a) + p = last_b - (steps of b) + (element_b - 1 - q),  p and q bytes of an
  // element
  Wide target = eb.last - ea.first;
  std::vector<Term> terms;
  for (const Term& step : ea.steps) add_term(terms, step.coefficient, step.bound);
  for (const Term& step : eb.steps) add_term(terms, step.coefficient, step.bound);
  // Elements of one size on a common grid meet whole or not at all.
  if (ea.element != eb.element || target % ea.element != 0) {
    target += eb.element - 1;
    add_term(terms, 1, ea.element + eb.element - 2);
  }
  return BoundedEquation(std::move(terms)).has_solution(target);
}

Overlap overlaps_itself(const TensorView& view) {
  const Extent extent = extent_of(view);
  if (extent.empty) return Overlap::kNo;
  // Index i minus index j, each entry shifted by size - 1 to start at 0: the center is i = j.
  std::vector<Term> terms;
  Wide target = 0;
  for (const Term& step : extent.steps) {
    if (step.coefficient == 0) return Overlap::kYes;
    terms.push_back({step.coefficient, 2 * step.bound});
    target += step.coefficient * step.bound;
  }
  if (extent.impossible) return Overlap::kUnproven;
  return BoundedEquation(std::move(terms)).has_solution_off_center(target);
}

}  // namespace matprec::contraction
