#include "matprec/dot_general.h"

#include "src/dot/product.h"

namespace matprec {

constinit const DotOptions detail::kNoOptions;
constinit const DotEpilogue detail::kNoEpilogue;

Tensor dot_general(const TensorView& lhs, const TensorView& rhs,
                   const DotDimensionNumbers& dimension_numbers, const DotOptions& options,
                   SourceLocation where) {
  return contraction::product({"dot_general", lhs, rhs, options, where}, lhs, rhs,
                              dimension_numbers);
}

void dot_general_into(const MutableTensorView& out, const TensorView& lhs, const TensorView& rhs,
                      const DotDimensionNumbers& dimension_numbers, const DotOptions& options,
                      const DotEpilogue& epilogue, SourceLocation where) {
  detail::dot_general_into_as("dot_general", out, lhs, rhs, dimension_numbers, options, epilogue,
                              where);
}

void detail::dot_general_into_as(std::string_view op, const MutableTensorView& out,
                                 const TensorView& lhs, const TensorView& rhs,
                                 const DotDimensionNumbers& dimension_numbers,
                                 const DotOptions& options, const DotEpilogue& epilogue,
                                 SourceLocation where) {
  contraction::product_into({op, lhs, rhs, options, where}, out, dimension_numbers, epilogue);
}

}  // namespace matprec
