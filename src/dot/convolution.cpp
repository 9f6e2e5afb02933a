#include "matprec/convolution.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "matprec/error.h"
#include "src/dot/backward.h"
#include "src/dot/conv_shape.h"
#include "src/dot/dot_shape.h"
#include "src/dot/product.h"

namespace matprec {
namespace contraction {
namespace {

constexpr std::string_view kConv = "conv_general_dilated", kConvVjp = "conv_general_dilated_vjp";

// Positions of the padded, dilated input that come from the input: element i stands at before + i * dilation.
struct Span {
  std::int64_t first, last;  // elements, last excluded
};
Span kept(std::int64_t size, std::int64_t before, std::int64_t dilation, std::int64_t padded) {
  const std::int64_t first = before >= 0 ? 0 : (-before + dilation - 1) / dilation;
  const std::int64_t room = padded - 1 - before;
  const std::int64_t last = room < 0 ? 0 : std::min(size, room / dilation + 1);
  return {std::min(first, last), last};
}

// The input with its padding and holes, read where it lies if it has none and its features lie in a line.
class PaddedInput {
 public:
  explicit PaddedInput(const ConvShape& s) : result_(s.lhs) {
    const bool as_it_is = s.before == Spatial{} && s.after == Spatial{} && s.lhs_dilation == Spatial{1, 1};
    if (as_it_is && (s.lhs.features_stride == 1 || s.lhs.features == 1)) return;
    copy_.emplace(s.lhs.view.type(), Dims{s.lhs.outer, s.padded[0], s.padded[1], s.lhs.features});
    const Dims strides = row_major_strides(copy_->shape());
    result_.size = s.padded;
    result_.view = *copy_;
    result_.outer_stride = strides[0], result_.stride = {strides[1], strides[2]}, result_.features_stride = 1;
    fill(s, strides);
  }
  PaddedInput(const PaddedInput&) = delete;
  PaddedInput& operator=(const PaddedInput&) = delete;
  const ConvTensor& get() const { return result_; }

 private:
  void fill(const ConvShape& s, const Dims& strides) {
    const ConvTensor& in = s.lhs;
    const std::size_t item = size_of(in.view.type());
    const auto bytes = [item](std::int64_t elements) { return elements * static_cast<std::int64_t>(item); };
    const Span rows = kept(in.size[0], s.before[0], s.lhs_dilation[0], s.padded[0]);
    const Span columns = kept(in.size[1], s.before[1], s.lhs_dilation[1], s.padded[1]);
    for (std::int64_t n = 0; n < in.outer; ++n) {
      for (std::int64_t h = rows.first; h < rows.last; ++h) {
        for (std::int64_t w = columns.first; w < columns.last; ++w) {
          const char* from = static_cast<const char*>(in.view.data()) +
                             bytes(n * in.outer_stride + h * in.stride[0] + w * in.stride[1]);
          char* to = static_cast<char*>(copy_->data()) +
                     bytes(n * strides[0] + (s.before[0] + h * s.lhs_dilation[0]) * strides[1] +
                           (s.before[1] + w * s.lhs_dilation[1]) * strides[2]);
          if (in.features_stride == 1) {
            std::memcpy(to, from, item * static_cast<std::size_t>(in.features));
            continue;
          }
          for (std::int64_t c = 0; c < in.features; ++c) {
            std::memcpy(to + bytes(c), from + bytes(c * in.features_stride), item);
          }
        }
      }
    }
  }

  std::optional<Tensor> copy_;
  ConvTensor result_;
};

// The windows of the input as (groups, N, output H, output W, filter H, filter W, features of a group): im2col, as a view.
TensorView windows(const ConvTensor& in, const ConvShape& s) {
  const std::int64_t features = in.features / s.groups;
  return {in.view.data(),
          in.view.type(),
          {s.groups, in.outer, s.out[0], s.out[1], s.rhs.size[0], s.rhs.size[1], features},
          {features * in.features_stride, in.outer_stride, s.strides[0] * in.stride[0], s.strides[1] * in.stride[1],
           s.rhs_dilation[0] * in.stride[0], s.rhs_dilation[1] * in.stride[1], in.features_stride}};
}

// A filter as (groups, H, W, features of a group, output features of a group).
TensorView filter_by_groups(const ConvTensor& filter, std::int64_t groups) {
  const std::int64_t outputs = filter.outer / groups;
  return {filter.view.data(),
          filter.view.type(),
          {groups, filter.size[0], filter.size[1], filter.features, outputs},
          {outputs * filter.outer_stride, filter.stride[0], filter.stride[1], filter.features_stride,
           filter.outer_stride}};
}

// An output as (groups, N, H, W, features of a group).
TensorView output_by_groups(const ConvTensor& out, std::int64_t groups) {
  const std::int64_t features = out.features / groups;
  return {out.view.data(),
          out.view.type(),
          {groups, out.outer, out.size[0], out.size[1], features},
          {features * out.features_stride, out.outer_stride, out.stride[0], out.stride[1], out.features_stride}};
}

void check_addresses(const Call& call) {
  if (element_count(call.lhs.shape()) > 0) check_address(call.op, "lhs", call.lhs);
  if (element_count(call.rhs.shape()) > 0) check_address(call.op, "rhs", call.rhs);
}

// Where a new tensor of the shape of the input or output has its features by groups.
ResultLayout output_layout(const Dims& shape, std::int64_t groups, const ConvOptions& conv) {
  const ConvTensor out = as_output(TensorView(nullptr, ElementType::kF32, shape), conv);
  return {shape, output_by_groups(out, groups).strides()};
}
ResultLayout filter_layout(const Dims& shape, std::int64_t groups, const ConvOptions& conv) {
  const ConvTensor filter = as_filter(TensorView(nullptr, ElementType::kF32, shape), conv);
  return {shape, filter_by_groups(filter, groups).strides()};
}

Tensor convolve(const Call& call, const ConvShape& s, const ConvOptions& conv) {
  check_addresses(call);
  const PaddedInput input(s);
  const ResultLayout layout = output_layout(s.out_shape, s.groups, conv);
  return product(call, windows(input.get(), s), filter_by_groups(s.rhs, s.groups),
                 {.lhs_contracting = {4, 5, 6}, .rhs_contracting = {1, 2, 3}, .lhs_batch = {0}, .rhs_batch = {0}},
                 &layout);
}

// The convolution of the output's cotangent with the filter turned around, whose output is the input's cotangent.
Tensor input_cotangent(const Call& call, const ConvShape& s, const ConvOptions& conv, const ConvTensor& g) {
  check_addresses(call);
  ConvShape back = s;
  back.lhs = g;
  // Input and output features change places within each group; positions run backwards.
  const std::int64_t outputs = s.rhs.outer / s.groups;
  back.strides = s.lhs_dilation;
  back.lhs_dilation = s.strides;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t filter = (s.rhs.size[d] - 1) * s.rhs_dilation[d];
    back.before[d] = filter - s.before[d];
    // So that there are as many positions as the input has.
    const std::int64_t dilated = g.size[d] == 0 ? 0 : (g.size[d] - 1) * s.strides[d] + 1;
    back.padded[d] = s.lhs.size[d] == 0 ? 0 : (s.lhs.size[d] - 1) * s.lhs_dilation[d] + 1 + filter;
    back.after[d] = back.padded[d] - dilated - back.before[d];
    back.out[d] = s.lhs.size[d];
  }
  const PaddedInput input(back);
  const ConvTensor& in = input.get();
  const TensorView rows(in.view.data(), in.view.type(),
                        {s.groups, in.outer, back.out[0], back.out[1], s.rhs.size[0], s.rhs.size[1], outputs},
                        {outputs * in.features_stride, in.outer_stride, back.strides[0] * in.stride[0],
                         back.strides[1] * in.stride[1], s.rhs_dilation[0] * in.stride[0],
                         s.rhs_dilation[1] * in.stride[1], in.features_stride});
  const std::int64_t item = static_cast<std::int64_t>(size_of(s.rhs.view.type()));
  const char* last = static_cast<const char*>(s.rhs.view.data());
  if (element_count(s.rhs.view.shape()) > 0) {
    last += ((s.rhs.size[0] - 1) * s.rhs.stride[0] + (s.rhs.size[1] - 1) * s.rhs.stride[1]) * item;
  }
  const TensorView turned(last, s.rhs.view.type(),
                          {s.groups, s.rhs.size[0], s.rhs.size[1], outputs, s.rhs.features},
                          {outputs * s.rhs.outer_stride, -s.rhs.stride[0], -s.rhs.stride[1], s.rhs.outer_stride,
                           s.rhs.features_stride});
  const ResultLayout layout = output_layout(s.lhs.view.shape(), s.groups, conv);
  return product(call, rows, turned,
                 {.lhs_contracting = {4, 5, 6}, .rhs_contracting = {1, 2, 3}, .lhs_batch = {0}, .rhs_batch = {0}},
                 &layout);
}

// The products of the input's windows with the output's cotangent, summed over output positions and the batch.
Tensor filter_cotangent(const Call& call, const ConvShape& s, const ConvOptions& conv, const ConvTensor& g) {
  check_addresses(call);
  const PaddedInput input(s);
  const TensorView rows = windows(input.get(), s), outputs = output_by_groups(g, s.groups);
  const ResultLayout layout = filter_layout(s.rhs.view.shape(), s.groups, conv);
  return product(call, rows, outputs,
                 {.lhs_contracting = {2, 3, 1}, .rhs_contracting = {2, 3, 1}, .lhs_batch = {0}, .rhs_batch = {0}},
                 &layout);
}

}  // namespace
}  // namespace contraction

Tensor conv_general_dilated(const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv,
                            const DotOptions& options, SourceLocation where) {
  const contraction::ConvShape shape = contraction::conv_shape(contraction::kConv, lhs, rhs, conv);
  return contraction::convolve({contraction::kConv, lhs, rhs, options, where}, shape, conv);
}

ConvPullback::ConvPullback(const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv,
                           const DotOptions& options, SourceLocation where)
    : lhs_(lhs),
      rhs_(rhs),
      conv_(conv),
      lhs_layout_(conv.lhs_layout),
      rhs_layout_(conv.rhs_layout),
      label_(options.label),
      out_shape_(contraction::conv_shape(contraction::kConvVjp, lhs, rhs, conv).out_shape),
      out_type_(contraction::out_type({contraction::kConvVjp, lhs, rhs, options, where})),
      where_(where),
      forward_(resolve(options.precision, lhs.type(), rhs.type())) {
  contraction::refuse_integers(contraction::kConvVjp, forward_);
  if (is_complex(out_type_)) {
    throw Error(std::string(contraction::kConvVjp) + ": the result is " + std::string(to_string(out_type_)) +
                "; write derivatives of complex convolutions with those of their real and imaginary parts");
  }
  lhs_resolution_ = contraction::backward(options.transpose_algorithm.lhs, forward_, out_type_, rhs.type());
  rhs_resolution_ = contraction::backward(options.transpose_algorithm.rhs, forward_, out_type_, lhs.type());
}

Tensor ConvPullback::cotangent_of(bool of_lhs, const TensorView& cotangent, const CotangentOptions& options) const {
  constexpr std::string_view kOp = contraction::kConvVjp;
  contraction::check_cotangent(kOp, cotangent, out_shape_, out_type_);
  ConvOptions conv = conv_;
  conv.lhs_layout = lhs_layout_, conv.rhs_layout = rhs_layout_;
  const contraction::ConvShape shape = contraction::conv_shape(kOp, lhs_, rhs_, conv);
  const contraction::ConvTensor g = contraction::as_output(cotangent, conv);
  DotOptions dot;
  dot.label = label_;
  dot.preferred_element_type = contraction::cotangent_type(kOp, options, (of_lhs ? lhs_ : rhs_).type());
  if (of_lhs) {
    return contraction::input_cotangent({kOp, cotangent, rhs_, dot, where_, &lhs_resolution_}, shape, conv, g);
  }
  return contraction::filter_cotangent({kOp, lhs_, cotangent, dot, where_, &rhs_resolution_}, shape, conv, g);
}

Tensor ConvPullback::lhs(const TensorView& cotangent, const CotangentOptions& options) const {
  return cotangent_of(true, cotangent, options);
}

Tensor ConvPullback::rhs(const TensorView& cotangent, const CotangentOptions& options) const {
  return cotangent_of(false, cotangent, options);
}

DotCotangents ConvPullback::operator()(const TensorView& cotangent, const CotangentOptions& options) const {
  return {lhs(cotangent, options), rhs(cotangent, options)};
}

ConvVjp conv_general_dilated_vjp(const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv,
                                 const DotOptions& options, SourceLocation where) {
  ConvPullback pullback(lhs, rhs, conv, options, where);
  const contraction::ConvShape shape = contraction::conv_shape(contraction::kConvVjp, lhs, rhs, conv);
  Tensor out =
      contraction::convolve({contraction::kConvVjp, lhs, rhs, options, where, &pullback.forward()}, shape, conv);
  return {std::move(out), std::move(pullback)};
}

}  // namespace matprec
