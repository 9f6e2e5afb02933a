// MP-ACC-1 for one output element: the factors of each step, the chain of a chunk, the tree of
// chunks. Duty: steps 1 to 3 of the rule in docs/numerics.md. Boundary: knows values in order of k,
// no views; the caller has set the floating-point environment (round to nearest, subnormals kept).
// Only the oracle and its tests include it.
#ifndef MATPREC_SRC_GEMM_REFERENCE_SUM_H_
#define MATPREC_SRC_GEMM_REFERENCE_SUM_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "src/gemm/rounding.h"

namespace matprec::gemm {

inline constexpr std::size_t kReferenceChunk = 128;  // steps of one chain

enum class Side { kLhs, kRhs };

// Appends the factors with which one operand value enters the FMA list of a step, in the list's
// order; factor j of the left value meets factor j of the right one. Any operand type is exact in a
// double.
inline void append_factors(std::vector<double>& factors, double value, const AlgorithmInfo& row,
                           Side) {
  factors.push_back(rounding::round_to(value, row.operand));
}

inline void append_factors(std::vector<float>& factors, double value, const AlgorithmInfo& row,
                           Side side) {
  if (row.parts == 1) {  // rounded once, also from a double
    factors.push_back(rounding::to_float32(rounding::round_to(value, row.operand)));
    return;
  }
  const float x = rounding::to_float32(value);
  const rounding::Parts part = rounding::split(x, row.operand);
  const float sign = side == Side::kLhs ? -1.0f : 1.0f;
  // The sum of all the parts in the leading product is x itself, also where x is Inf or NaN.
  switch (row.fmas) {
    case 1:  // x9: the nine products of parts sum to a*b
      factors.push_back(x);
      return;
    case 2:  // x3: a2*b2 - am*bm = hh + hm + mh, with x2 = h + m (exact)
      factors.push_back(rounding::is_finite(x) ? part.high + part.middle : x);
      factors.push_back(sign * part.middle);
      return;
    default:  // x6: a*b - a'*b' + am*bm = hh + hm + mh + hl + lh + mm, with x' = x - h
      factors.push_back(x);
      factors.push_back(sign * part.remainder);
      factors.push_back(part.middle);
      return;
  }
}

// A sum as the accumulation type keeps it. float32 and float64 sums are kept as they are.
inline float kept_sum(float sum, PrecisionType accumulation) {
  return accumulation == PrecisionType::kF32 ? sum : rounding::round_to(sum, accumulation);
}
inline double kept_sum(double sum, PrecisionType) { return sum; }

// s = +0, then one correctly rounded fused multiply-add a factor pair, in order.
template <class T>
T chunk_sum(std::span<const T> lhs, std::span<const T> rhs, PrecisionType accumulation) {
  T sum = 0;
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    sum = kept_sum(std::fma(lhs[i], rhs[i], sum), accumulation);
  }
  return sum;
}

// The left-balanced binary tree: T(m values) = T(first p) + T(rest), p the largest power of two
// below m.
template <class T>
T tree_sum(std::span<const T> values, PrecisionType accumulation) {
  if (values.size() == 1) return values[0];
  const std::size_t p = std::bit_floor(values.size() - 1);
  const T older = tree_sum(values.first(p), accumulation);
  const T newer = tree_sum(values.subspan(p), accumulation);
  return kept_sum(older + newer, accumulation);
}

// The sum over all steps; row.fmas factors a step. No steps give +0.
template <class T>
T reference_sum(std::span<const T> lhs, std::span<const T> rhs, const AlgorithmInfo& row) {
  const std::size_t chunk = kReferenceChunk * static_cast<std::size_t>(row.fmas);
  std::vector<T> values;
  for (std::size_t first = 0; first < lhs.size(); first += chunk) {
    const std::size_t count = std::min(chunk, lhs.size() - first);
    values.push_back(
        chunk_sum(lhs.subspan(first, count), rhs.subspan(first, count), row.accumulation));
  }
  return values.empty() ? T{0} : tree_sum(std::span<const T>(values), row.accumulation);
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_REFERENCE_SUM_H_
