// The orchestra behind dot_general, matmul and the C entries: shape, resolve, lower, gemm, trace.
#ifndef MATPREC_SRC_DOT_PRODUCT_H_
#define MATPREC_SRC_DOT_PRODUCT_H_

#include <string_view>

#include "matprec/dot_general.h"
#include "matprec/policy.h"
#include "src/gemm/gemm_problem.h"

namespace matprec::contraction {

// A product as its caller wrote it, for errors and traces.
struct Call {
  std::string_view op;
  const TensorView& lhs;  // as the caller passed them
  const TensorView& rhs;
  const DotOptions& options;
  SourceLocation where;
};

// The product as a new tensor. lhs and rhs may be other views of call.lhs and call.rhs (broadcast ones);
// `out_shape`, if not null, is the shape given to the result in the end, of equally many elements.
Tensor product(const Call& call, const TensorView& lhs, const TensorView& rhs,
               const DotDimensionNumbers& numbers, const Dims* out_shape = nullptr);

// The product written into `out`.
void product_into(const Call& call, const MutableTensorView& out, const DotDimensionNumbers& numbers,
                  const DotEpilogue& epilogue);

// Checks the requirement in force, announces, plans, runs and traces a lowered problem.
void run(const Call& call, const Resolution& resolution, const gemm::GemmProblem& problem,
         const Dims& out_shape);

// The result's element type: preferred, else by the operands.
ElementType out_type(const Call& call);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_PRODUCT_H_
