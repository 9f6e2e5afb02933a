#include "matprec/explain.h"

#include "matprec/runtime.h"
#include "src/dot/describe.h"
#include "src/dot/dot_shape.h"
#include "src/dot/lowering.h"
#include "src/dot/matmul.h"
#include "src/dot/result_type.h"
#include "src/error_text.h"
#include "src/gemm/gemm.h"
#include "src/kernels/targets.h"
#include "src/policy/requirement.h"

namespace matprec {
namespace contraction {

Explanation describe(const Resolution& resolution, const TensorView& lhs, const TensorView& rhs,
                     ElementType out, const DotDimensionNumbers& numbers, std::string_view op) {
  check_enumerator("explain: preferred_element_type", out);
  check_result_type("explain", out, lhs.type(), rhs.type());
  const DotShape shape = dot_shape(op, lhs, rhs, numbers);
  check_requirement(resolution, lhs.type(), rhs.type(), op);
  const gemm::GemmProblem problem =
      lower(MutableTensorView(nullptr, out, shape.out), lhs, rhs, numbers, shape,
                 resolution.algorithm, {});
  const gemm::GemmPlan plan = gemm::plan(problem, kernels::current(), num_threads());
  const Platform row = platform();
  double factor = error_factor(resolution.algorithm, problem.k);
  // Two sums are added for a part of a complex product: one more rounding.
  if (plan.real_products == 4) factor += error_factor(resolution.algorithm, 1) + factor * 0x1p-20;
  return {resolution,
          lhs.type(),
          rhs.type(),
          out,
          {problem.m, problem.n, problem.k, problem.batch},
          plan.kernels->name,
          gemm::to_string(plan),
          plan.threads,
          info(resolution.algorithm).fmas * plan.real_products,
          factor,
          reached_by_defaults(lhs.type(), rhs.type()),
          {algorithm_of(Precision::kFastest, row), algorithm_of(Precision::kHigh, row),
           algorithm_of(Precision::kHighest, row)}};
}

}  // namespace contraction

Explanation explain(const PrecisionRequest& request, ElementType lhs, ElementType rhs,
                    const ProductShape& shape) {
  const Dims lhs_shape = {shape.batch, shape.m, shape.k};
  const Dims rhs_shape = {shape.batch, shape.k, shape.n};
  const TensorView a(nullptr, lhs, lhs_shape), b(nullptr, rhs, rhs_shape);
  return contraction::describe(resolve(request, lhs, rhs), a, b, result_type(lhs, rhs),
                               {{2}, {1}, {0}, {0}}, "explain");
}

Explanation explain(const TensorView& lhs, const TensorView& rhs, const DotOptions& options) {
  const contraction::LabelledProduct call = contraction::lower_matmul(lhs, rhs);
  return contraction::describe(
      resolve(options.precision, lhs.type(), rhs.type()), call.lhs, call.rhs,
      options.preferred_element_type.value_or(result_type(lhs.type(), rhs.type())), call.numbers,
      "matmul");
}

}  // namespace matprec
