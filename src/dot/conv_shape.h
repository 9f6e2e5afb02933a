// Are these operands a convolution? Validates options against shapes, and gives everything as two spatial dimensions.
// Every shape error text of convolutions lives here.
#ifndef MATPREC_SRC_DOT_CONV_SHAPE_H_
#define MATPREC_SRC_DOT_CONV_SHAPE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "matprec/convolution.h"
#include "matprec/tensor.h"

namespace matprec::contraction {

// Height and width; of one spatial dimension the height is 1.
using Spatial = std::array<std::int64_t, 2>;

// A tensor by the meaning of its dimensions, wherever they stand.
struct ConvTensor {
  TensorView view;
  std::int64_t outer, features;                // N and C of input and output; O and I of a filter
  Spatial size;
  std::int64_t outer_stride, features_stride;  // in elements
  Spatial stride;
};

struct ConvShape {
  ConvTensor lhs, rhs;
  Spatial strides, lhs_dilation, rhs_dilation;
  Spatial before, after;  // padding; negative crops
  Spatial padded;         // size of the input after dilation and padding
  Spatial out;            // output positions
  std::int64_t groups;
  Dims out_shape;         // as the layout orders it
};

// Errors: as conv_general_dilated's, their text beginning with `op`.
ConvShape conv_shape(std::string_view op, const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv);

// A view of the shape of the input or output, or of the filter, by the meaning of its dimensions.
ConvTensor as_output(const TensorView& view, const ConvOptions& conv);
ConvTensor as_filter(const TensorView& view, const ConvOptions& conv);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_CONV_SHAPE_H_
