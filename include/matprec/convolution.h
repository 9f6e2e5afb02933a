// Convolution in one and two dimensions, forward and backward, as a dot_general over views.
//
//   mp::ConvOptions conv{.strides = {2, 2}, .padding = mp::ConvPadding::same()};
//   mp::Tensor y = mp::conv_general_dilated(x, w, conv, {.precision = "tf32"});    // NHWC by HWIO
//   auto [z, pullback] = mp::conv_general_dilated_vjp(x, w, conv);
//
// XLA's convolution, which slides the filter without turning it around. A result element is the product of a row
// of the im2col matrix with a column of the filter: steps are the filter's positions in order, then input features;
// padding and holes of dilations are steps with value 0. Precision, types, traces and bits are those of that
// dot_general, whatever the layout. Nothing of the size of the im2col matrix is made: at most a padded copy of the
// input.
#ifndef MATPREC_CONVOLUTION_H_
#define MATPREC_CONVOLUTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matprec/derivatives.h"
#include "matprec/dot_general.h"
#include "matprec/export.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"

namespace matprec {

// How the input is continued around its borders, with zeros.
class ConvPadding {
 public:
  static ConvPadding valid() { return ConvPadding(Kind::kValid, {}); }  // not at all
  // So that the output has ceil(size / stride) positions; of an odd number of zeros one more stands at the end.
  static ConvPadding same() { return ConvPadding(Kind::kSame, {}); }
  // (before, after) of each spatial dimension, counted after lhs dilation; negative ones crop.
  static ConvPadding explicit_pairs(std::vector<std::pair<std::int64_t, std::int64_t>> pairs) {
    return ConvPadding(Kind::kExplicit, std::move(pairs));
  }

  enum class Kind { kValid, kSame, kExplicit };
  Kind kind() const { return kind_; }
  const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs() const { return pairs_; }

 private:
  ConvPadding(Kind kind, std::vector<std::pair<std::int64_t, std::int64_t>> pairs)
      : kind_(kind), pairs_(std::move(pairs)) {}
  Kind kind_;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

struct ConvOptions {
  Dims strides = {};  // one each spatial dimension; nothing: 1
  ConvPadding padding = ConvPadding::valid();
  Dims lhs_dilation = {};  // distances between neighbours of the input, with zeros between; nothing: 1
  Dims rhs_dilation = {};  // the same of the filter
  std::int64_t feature_groups = 1;  // input and output features are cut into so many, which meet pairwise
  // The dimensions' letters: N batch, C input features, H and W (one dimension: W) of input and output; of the filter
  // H, W, I input features of a group, O output features. Nothing: "NHWC" and "HWIO", in one dimension "NWC", "WIO".
  std::string_view lhs_layout = {};  // and the output's
  std::string_view rhs_layout = {};
};

// The convolution as a new tensor; its type is dot_general's. A filter that does not fit gives an empty output.
// Errors, with the values: ranks other than 3 (one spatial dimension) or 4; layouts that do not name each dimension
// once; lists of another length than the spatial dimensions; strides or dilations below 1; input features that are
// not those of the filter times the groups; output features that the groups do not divide; dot_general's.
MATPREC_API Tensor conv_general_dilated(const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv = {},
                                        const DotOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

// Gives the cotangents of a convolution's operands, under the algorithms that the forward one settled (derivatives.h).
// It refers to the operands: their memory must live and keep its values. The input's cotangent is the convolution of
// the result's with the filter turned around, its steps the positions of that, then output features; the filter's
// sums over output positions in order, then the batch.
class MATPREC_API ConvPullback {
 public:
  // Errors: as DotPullback's.
  DotCotangents operator()(const TensorView& cotangent, const CotangentOptions& options = {}) const;
  Tensor lhs(const TensorView& cotangent, const CotangentOptions& options = {}) const;
  Tensor rhs(const TensorView& cotangent, const CotangentOptions& options = {}) const;

  const Resolution& forward() const { return forward_; }
  const Resolution& lhs_resolution() const { return lhs_resolution_; }
  const Resolution& rhs_resolution() const { return rhs_resolution_; }

 private:
  friend MATPREC_API struct ConvVjp conv_general_dilated_vjp(const TensorView&, const TensorView&, const ConvOptions&,
                                                             const DotOptions&, SourceLocation);
  ConvPullback(const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv, const DotOptions& options,
               SourceLocation where);
  Tensor cotangent_of(bool of_lhs, const TensorView& cotangent, const CotangentOptions& options) const;

  TensorView lhs_, rhs_;
  ConvOptions conv_;
  std::string lhs_layout_, rhs_layout_, label_;  // what the options' views refer to
  Dims out_shape_;
  ElementType out_type_;
  SourceLocation where_;
  Resolution forward_, lhs_resolution_, rhs_resolution_;
};

struct ConvVjp {
  Tensor out;
  ConvPullback pullback;
};

// Errors: conv_general_dilated's; integers and complex numbers.
MATPREC_API ConvVjp conv_general_dilated_vjp(const TensorView& lhs, const TensorView& rhs,
                                             const ConvOptions& conv = {}, const DotOptions& options = {},
                                             SourceLocation where = SourceLocation::current());

}  // namespace matprec

#endif  // MATPREC_CONVOLUTION_H_
