// einsum: sums of products of any number of operands, written as an equation.
//
//   mp::Tensor y = mp::einsum("bij,bjk->bik", {x, w});
//   mp::Tensor z = mp::einsum("...i,ij,j->...", {x, m, v}, {.precision = "bf16x3"});
//   std::cout << mp::explain_einsum("ij,jk,kl->il", {a, b, c}) << '\n';  // its products, in order
//
// The meaning is NumPy's. One term an operand, one letter (A-Z,
// a-z) a dimension; spaces are ignored. A letter that the result lacks is summed over. A letter
// that stands twice in a term walks the diagonal. "..." stands for any number of dimensions, which
// are aligned from the last on. Sizes of a letter, or of an ellipsis dimension, are equal or 1 in each
// operand: a size of 1 is repeated, also where it is summed over; a diagonal needs equal sizes. Without "->" the result has the dimensions of the ellipses, then the letters
// that stand once, A-Z before a-z. Dimensions of ellipses that the result lacks are summed over.
//
// Every bit is defined (docs/front_ends.md): a letter of one operand that the result lacks is
// summed first, by a dot with ones under the operand type's own algorithm, kept in its accumulation
// type. Then the pair with the fewest result elements is multiplied (of several the first), its
// result goes to the end of the list, and so on; contracted letters are flattened in the order in
// which they stand in the left operand. Each product asks scopes and defaults for its algorithm as
// dot_general does.
#ifndef MATPREC_EINSUM_H_
#define MATPREC_EINSUM_H_

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/explain.h"
#include "matprec/export.h"

namespace matprec {

// The result as a new tensor. Its type, and that of each product on the way, is
// preferred_element_type, else the type that the operand types have together (result_type of all of
// them); on the way to a complex result two real operands have the real type of it. One operand of which nothing is summed keeps its type and its bits.
// Errors, with the equation and a caret under the character: what no equation has; terms and
// operands of different number or rank; an output letter twice or in no operand; sizes that
// disagree. Further those of dot_general for types, precision and requirements.
MATPREC_API Tensor einsum(std::string_view equation, std::span<const TensorView> operands,
                          const DotOptions& options = {},
                          SourceLocation where = SourceLocation::current());
inline Tensor einsum(std::string_view equation, std::initializer_list<TensorView> operands,
                     const DotOptions& options = {},
                     SourceLocation where = SourceLocation::current()) {
  return einsum(equation, std::span<const TensorView>(operands.begin(), operands.size()), options,
                where);
}

// One product of an einsum. Positions count in the list of operands that are left at this step; the
// result of two goes to the end of that list, a sum stays in its place.
struct EinsumStepExplanation {
  std::size_t lhs;
  std::optional<std::size_t> rhs;  // nothing: a sum within lhs, by a dot with ones
  std::string equation;            // of this step alone; ellipses are written out in letters
  Dims lhs_shape, rhs_shape, out_shape;
  double flops;         // 2 for each product of two elements
  Explanation product;  // algorithm, who chose it, types, path
};

struct EinsumExplanation {
  std::string equation;
  ElementType type;  // of the result
  Dims shape;
  std::vector<EinsumStepExplanation> steps;  // none: one operand, copied
  double flops;
};

// What einsum of these operands would run, here and now. No element is read: TensorView(nullptr,
// type, shape) stands for an operand. Errors: as einsum's.
MATPREC_API EinsumExplanation explain_einsum(std::string_view equation,
                                             std::span<const TensorView> operands,
                                             const DotOptions& options = {});
inline EinsumExplanation explain_einsum(std::string_view equation,
                                        std::initializer_list<TensorView> operands,
                                        const DotOptions& options = {}) {
  return explain_einsum(equation, std::span<const TensorView>(operands.begin(), operands.size()),
                        options);
}

// A line for the whole, then one for each step.
MATPREC_API std::string to_string(const EinsumExplanation& explanation);
MATPREC_API std::ostream& operator<<(std::ostream& out, const EinsumExplanation& explanation);

}  // namespace matprec

#endif  // MATPREC_EINSUM_H_
