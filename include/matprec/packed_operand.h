// An operand packed once for many products, such as the weights of a layer.
//
//   const mp::PackedOperand w(weights, {0}, "tf32");   // dimension 0 of the weights will be summed over
//   mp::Tensor y = mp::dot_general(x, {1}, w, {.precision = "tf32"});
//
// Every product packs its operands into the order that kernels read; with few rows that takes longer than
// multiplying. Whoever multiplies by the same operand again packs it once. The results have the bits of the
// product of the operand itself.
#ifndef MATPREC_PACKED_OPERAND_H_
#define MATPREC_PACKED_OPERAND_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "matprec/dot_algorithm.h"
#include "matprec/dot_general.h"
#include "matprec/element_type.h"
#include "matprec/export.h"
#include "matprec/precision.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"

namespace matprec {

namespace detail {
struct PackedOperandData;
}

// The elements as they are when it is made: a copy, which later writes to the operand do not reach. It is made
// for one algorithm, on one SIMD target (runtime.h), and products that would run another are refused. Cheap to
// copy; any number of threads may multiply by it at once.
class MATPREC_API PackedOperand {
 public:
  // Packs for products that sum over the dimensions `contracting` of `operand`, in that order (last fastest),
  // with operands of type `other` (nothing: of the same type) at `precision`, which is resolved here and now as
  // a product's would be: by argument, scope, process default, environment. Takes
  // 4 bytes an element (8 if sums are float64), times the FMAs an element that the algorithm has.
  // Errors: dimensions negative, repeated or beyond the rank; complex elements; types that do not multiply.
  PackedOperand(const TensorView& operand, const Dims& contracting, const PrecisionRequest& precision = {},
                std::optional<ElementType> other = std::nullopt);

  const Dims& shape() const;        // of the operand
  ElementType type() const;         // of the operand
  const Dims& contracting() const;
  DotAlgorithm algorithm() const;
  std::string_view target() const;  // as current_target()
  std::size_t bytes() const;        // that it takes

 private:
  friend struct detail::PackedOperandData;
  std::shared_ptr<const detail::PackedOperandData> data_;
};

// dot_general with an operand packed before: no batch dimensions, and the packed operand's contracting dimensions
// with those listed of the other one, entry by entry. The result has the other dimensions of lhs, then those of rhs.
// Errors: dot_general's; an algorithm, asked for here or resolved, that is not the packed operand's; a SIMD target
// in force that is not the packed operand's.
MATPREC_API Tensor dot_general(const TensorView& lhs, const Dims& lhs_contracting, const PackedOperand& rhs,
                               const DotOptions& options = {}, SourceLocation where = SourceLocation::current());
MATPREC_API Tensor dot_general(const PackedOperand& lhs, const TensorView& rhs, const Dims& rhs_contracting,
                               const DotOptions& options = {}, SourceLocation where = SourceLocation::current());
MATPREC_API void dot_general_into(const MutableTensorView& out, const TensorView& lhs, const Dims& lhs_contracting,
                                  const PackedOperand& rhs, const DotOptions& options = {},
                                  const DotEpilogue& epilogue = {},
                                  SourceLocation where = SourceLocation::current());
MATPREC_API void dot_general_into(const MutableTensorView& out, const PackedOperand& lhs, const TensorView& rhs,
                                  const Dims& rhs_contracting, const DotOptions& options = {},
                                  const DotEpilogue& epilogue = {},
                                  SourceLocation where = SourceLocation::current());

}  // namespace matprec

#endif  // MATPREC_PACKED_OPERAND_H_
