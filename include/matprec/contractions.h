// NumPy's products by name: tensordot, dot, inner, vdot, vecdot, matvec, vecmat.
//
//   mp::Tensor a = mp::tensordot(x, w, {{-1}, {0}});         // last dimension of x, first of w
//   mp::Tensor b = mp::vecdot(u, v, 0);                      // along dimension 0 of both
//   mp::Tensor c = mp::matvec(m, v, {.precision = "tf32"});
//
// Each is one dot_general. They take any views, scalars and sizes of 0 where NumPy does. What is
// summed is flattened in the order given here, last fastest; that is the order of the sum
// (docs/numerics.md, MP-ACC-1). Result types, options and errors of types, precision and
// requirements are dot_general's; further errors stand at each function. Dimensions that broadcast
// are aligned from the last on, sizes equal or 1. A conjugate is the operand with the sign of each
// imaginary part turned; real operands are used as they are. matmul and einsum: dot_general.h,
// einsum.h.
#ifndef MATPREC_CONTRACTIONS_H_
#define MATPREC_CONTRACTIONS_H_

#include <cstdint>

#include "matprec/dot_general.h"
#include "matprec/export.h"

namespace matprec {

// Entry i of lhs belongs to entry i of rhs; negative numbers count from the end.
struct TensordotAxes {
  Dims lhs = {};
  Dims rhs = {};
};

// Sums over the paired axes, in the order listed. The result has the other dimensions of lhs, then
// those of rhs. A number stands for that many last dimensions of lhs with the first ones of rhs, in
// their order.
// Errors: a negative number or one beyond a rank; axes out of range, named twice, or of different
// counts; paired sizes that differ.
MATPREC_API Tensor tensordot(const TensorView& lhs, const TensorView& rhs,
                             const TensordotAxes& axes, const DotOptions& options = {},
                             SourceLocation where = SourceLocation::current());
MATPREC_API Tensor tensordot(const TensorView& lhs, const TensorView& rhs, std::int64_t axes = 2,
                             const DotOptions& options = {},
                             SourceLocation where = SourceLocation::current());

// Sums over the last dimension of lhs and the last but one of rhs (its only one, if it has rank 1).
// The result has the other dimensions of lhs, then those of rhs; nothing broadcasts. With a scalar
// it is the product with that number. Errors: paired sizes that differ.
MATPREC_API Tensor dot(const TensorView& lhs, const TensorView& rhs, const DotOptions& options = {},
                       SourceLocation where = SourceLocation::current());

// Sums over the last dimension of both. The result has the other dimensions of lhs, then those of
// rhs. With a scalar it is the product with that number. Errors: paired sizes that differ.
MATPREC_API Tensor inner(const TensorView& lhs, const TensorView& rhs,
                         const DotOptions& options = {},
                         SourceLocation where = SourceLocation::current());

// The dot of the conjugate of lhs with rhs, both flattened in row-major order whatever their
// shapes; a scalar. Errors: different numbers of elements.
MATPREC_API Tensor vdot(const TensorView& lhs, const TensorView& rhs,
                        const DotOptions& options = {},
                        SourceLocation where = SourceLocation::current());

// The dots of the conjugate of lhs with rhs along `axis` of each, negative counting from the end.
// The result has the other dimensions, broadcast.
// Errors: an axis beyond a rank; sizes along it that differ; other sizes that do not broadcast.
MATPREC_API Tensor vecdot(const TensorView& lhs, const TensorView& rhs, std::int64_t axis = -1,
                          const DotOptions& options = {},
                          SourceLocation where = SourceLocation::current());

// Matrices (..., m, n) times vectors (..., n): (..., m), the dimensions before broadcast.
// Errors: ranks below 2 and 1; sizes n that differ; sizes that do not broadcast.
MATPREC_API Tensor matvec(const TensorView& lhs, const TensorView& rhs,
                          const DotOptions& options = {},
                          SourceLocation where = SourceLocation::current());

// Conjugates of vectors (..., n) times matrices (..., n, m): (..., m), the dimensions before
// broadcast.
// Errors: ranks below 1 and 2; sizes n that differ; sizes that do not broadcast.
MATPREC_API Tensor vecmat(const TensorView& lhs, const TensorView& rhs,
                          const DotOptions& options = {},
                          SourceLocation where = SourceLocation::current());

}  // namespace matprec

#endif  // MATPREC_CONTRACTIONS_H_
