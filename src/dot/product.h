// The orchestra behind dot_general, matmul and the C entries: shape, resolve, lower, gemm, trace.
#ifndef MATPREC_SRC_DOT_PRODUCT_H_
#define MATPREC_SRC_DOT_PRODUCT_H_

#include <string_view>

#include "matprec/dot_general.h"
#include "matprec/policy.h"
#include "src/gemm/gemm_problem.h"
#include "src/gemm/small_gemm.h"

namespace matprec::contraction {

// A product as its caller wrote it, for errors and traces.
struct Call {
  std::string_view op;
  const TensorView& lhs;  // as the caller passed them
  const TensorView& rhs;
  const DotOptions& options;
  SourceLocation where;
  const Resolution* decided = nullptr;  // not null: this, and nobody is asked
  const gemm::PackedPanels* packed_lhs = nullptr;  // not null: lhs gives shape and type, these the elements
  const gemm::PackedPanels* packed_rhs = nullptr;
};

// Where the elements of a result lie, if not as dot_general lays them out.
struct ResultLayout {
  Dims shape;    // of the new tensor
  Dims strides;  // in it, of the product's dimensions: batch, lhs kept, rhs kept
};

// The product as a new tensor. lhs and rhs may be other views of call.lhs and call.rhs (broadcast ones).
// `layout`, if not null, has as many elements as the product and names each once.
Tensor product(const Call& call, const TensorView& lhs, const TensorView& rhs,
               const DotDimensionNumbers& numbers, const ResultLayout* layout = nullptr);

// The product written into `out`.
void product_into(const Call& call, const MutableTensorView& out, const DotDimensionNumbers& numbers,
                  const DotEpilogue& epilogue);

// Checks the requirement in force, announces, plans and runs a lowered problem.
void run(std::string_view op, const Resolution& resolution, ElementType lhs, ElementType rhs,
         const gemm::GemmProblem& problem);

// The same, and tells whoever traces.
void run(const Call& call, const Resolution& resolution, const gemm::GemmProblem& problem,
         const Dims& out_shape);

// Checks the requirement, announces and runs a small product. False, and nothing is done, if it is not small
// or if somebody wants to be told of it: then run() does it.
bool run_small(std::string_view op, const Resolution& resolution, const gemm::SmallProduct& product,
               const gemm::SmallBatch* batch = nullptr);

// The result's element type: preferred, else by the operands.
ElementType out_type(const Call& call);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_PRODUCT_H_
