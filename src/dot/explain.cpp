#include "matprec/explain.h"

#include "matprec/runtime.h"
#include "src/dot/dot_shape.h"
#include "src/dot/lowering.h"
#include "src/dot/matmul.h"
#include "src/gemm/gemm.h"
#include "src/kernels/targets.h"

namespace matprec {
namespace {

Explanation describe(const PrecisionRequest& request, ElementType lhs, ElementType rhs,
                     ElementType out, gemm::GemmProblem& problem) {
  const Resolution resolution = resolve(request, lhs, rhs);
  problem.algorithm = resolution.algorithm;
  const gemm::GemmPlan plan = gemm::plan(problem, kernels::current(), num_threads());
  const Platform row = platform();
  return {resolution,
          lhs,
          rhs,
          out,
          {problem.m, problem.n, problem.k, problem.batch},
          plan.kernels->name,
          gemm::to_string(plan),
          plan.threads,
          info(resolution.algorithm).fmas,
          error_factor(resolution.algorithm, problem.k),
          reached_by_defaults(lhs, rhs),
          {algorithm_of(Precision::kFastest, row), algorithm_of(Precision::kHigh, row),
           algorithm_of(Precision::kHighest, row)}};
}

}  // namespace

Explanation explain(const PrecisionRequest& request, ElementType lhs, ElementType rhs,
                    const ProductShape& shape) {
  const Dims lhs_shape = {shape.batch, shape.m, shape.k};
  const Dims rhs_shape = {shape.batch, shape.k, shape.n};
  const TensorView a(nullptr, lhs, lhs_shape), b(nullptr, rhs, rhs_shape);
  const DotDimensionNumbers numbers = {{2}, {1}, {0}, {0}};
  const dot::DotShape dims = dot::dot_shape("explain", a, b, numbers);
  const ElementType out = result_type(lhs, rhs);
  gemm::GemmProblem problem =
      dot::lower(MutableTensorView(nullptr, out, dims.out), a, b, numbers, dims, {});
  return describe(request, lhs, rhs, out, problem);
}

Explanation explain(const TensorView& lhs, const TensorView& rhs, const DotOptions& options) {
  const dot::Matmul call = dot::lower_matmul(lhs, rhs);
  const dot::DotShape dims = dot::dot_shape("matmul", call.lhs, call.rhs, call.numbers);
  const ElementType out =
      options.preferred_element_type.value_or(result_type(lhs.type(), rhs.type()));
  gemm::GemmProblem problem = dot::lower(MutableTensorView(nullptr, out, dims.out), call.lhs,
                                         call.rhs, call.numbers, dims, {});
  return describe(options.precision, lhs.type(), rhs.type(), out, problem);
}

}  // namespace matprec
