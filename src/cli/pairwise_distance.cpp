#include "src/cli/pairwise_distance.h"

#include <utility>

#include "matprec/dot_general.h"
#include "matprec/error.h"

namespace matprec::cli {
namespace {

template <class T>
Tensor expansion(const Tensor& norms, const Tensor& gram) {
  Tensor result(gram.type(), gram.shape());
  const std::int64_t n = norms.size();
  const T* norm = norms.data<T>();
  const T* product = gram.data<T>();
  T* out = result.data<T>();
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      out[i * n + j] = (norm[i] + norm[j]) - T{2} * product[i * n + j];
    }
  }
  return result;
}

}  // namespace

PairwiseDistance pairwise_distance(const TensorView& x, const PrecisionRequest& precision) {
  if (x.rank() != 2) {
    throw Error("pairwise distances: expected a matrix with a point in each row, got shape " +
                to_string(x.shape()));
  }
  const bool wide = x.type() == ElementType::kF64;
  const ElementType type = wide ? ElementType::kF64 : ElementType::kF32;
  const DotAlgorithm plain = wide ? DotAlgorithm::kF64_F64_F64 : DotAlgorithm::kF32_F32_F32;
  Tensor gram = dot_general(x, x, {.lhs_contracting = {1}, .rhs_contracting = {1}},
                            {.precision = precision, .preferred_element_type = type});
  const Tensor norms = dot_general(
      x, x, {.lhs_contracting = {1}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}},
      {.precision = plain, .preferred_element_type = type});
  Tensor sqdist = wide ? expansion<double>(norms, gram) : expansion<float>(norms, gram);
  return {std::move(gram), std::move(sqdist)};
}

}  // namespace matprec::cli
