#include "src/dot/conv_shape.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "matprec/error.h"
#include "src/dot/dot_shape.h"

namespace matprec::contraction {
namespace {

std::string quoted(std::string_view text) {
  std::string result(1, '"');
  result += text;
  result += '"';
  return result;
}

// a * b + c. Errors: more than 64 bits.
std::int64_t multiply_add(std::string_view op, std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result)) {
    throw Error(std::string(op) + ": a size after dilation and padding, " + std::to_string(a) + " * " +
                std::to_string(b) + " + " + std::to_string(c) + ", is too large");
  }
  return result;
}

bool is_flat(const TensorView& view) { return view.rank() == 3; }

std::string_view lhs_layout(const TensorView& lhs, const ConvOptions& conv) {
  if (!conv.lhs_layout.empty()) return conv.lhs_layout;
  return is_flat(lhs) ? "NWC" : "NHWC";
}

std::string_view rhs_layout(const TensorView& rhs, const ConvOptions& conv) {
  if (!conv.rhs_layout.empty()) return conv.rhs_layout;
  return is_flat(rhs) ? "WIO" : "HWIO";
}

// The dimension that a letter stands for, as the layout says.
class Layout {
 public:
  Layout(std::string_view op, const char* name, std::string_view layout, std::string_view letters) : layout_(layout) {
    const bool complete = layout.size() == letters.size() && std::all_of(letters.begin(), letters.end(), [&](char c) {
                            return layout.find(c) != std::string_view::npos;
                          });
    if (complete) return;
    std::string expected;
    for (const char letter : letters) {
      if (!expected.empty()) expected += ", ";
      expected += letter;
    }
    throw Error(std::string(op) + ": " + name + " is " + quoted(layout) + "; expected the letters " + expected +
                ", each once, in the order of the dimensions");
  }
  std::size_t operator()(char letter) const { return layout_.find(letter); }

 private:
  std::string_view layout_;
};

ConvTensor by_meaning(const TensorView& view, const Layout& layout, char outer, char features) {
  const auto size = [&](char letter) { return view.shape()[layout(letter)]; };
  const auto stride = [&](char letter) { return view.strides()[layout(letter)]; };
  const bool flat = is_flat(view);
  return {view,
          size(outer),
          size(features),
          {flat ? 1 : size('H'), size('W')},
          stride(outer),
          stride(features),
          {flat ? 0 : stride('H'), stride('W')}};
}

// One number a spatial dimension.
Spatial numbers(std::string_view op, const char* name, const Dims& list, std::size_t rank) {
  if (list.empty()) return {1, 1};
  if (list.size() != rank) {
    throw Error(std::string(op) + ": " + name + " is " + to_string(list) + "; expected " + std::to_string(rank) +
                (rank == 1 ? " number, for the spatial dimension" : " numbers, one each spatial dimension"));
  }
  for (const std::int64_t number : list) {
    if (number < 1) {
      throw Error(std::string(op) + ": " + name + " is " + to_string(list) + "; expected numbers of 1 or more");
    }
  }
  return rank == 1 ? Spatial{1, list[0]} : Spatial{list[0], list[1]};
}

// (size - 1) * dilation + 1; 0 of nothing.
std::int64_t dilated(std::string_view op, std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : multiply_add(op, size - 1, dilation, 1);
}

void pad(std::string_view op, const ConvOptions& conv, std::size_t rank, ConvShape* shape) {
  const ConvPadding& padding = conv.padding;
  const bool is_explicit = padding.kind() == ConvPadding::Kind::kExplicit;
  if (is_explicit && padding.pairs().size() != rank) {
    throw Error(std::string(op) + ": padding has " + std::to_string(padding.pairs().size()) + " pairs; expected " +
                std::to_string(rank) + ", one each spatial dimension");
  }
  for (std::size_t d = 0; d < 2; ++d) {
    const bool absent = rank == 1 && d == 0;
    const std::int64_t size = dilated(op, shape->lhs.size[d], shape->lhs_dilation[d]);
    const std::int64_t filter = dilated(op, shape->rhs.size[d], shape->rhs_dilation[d]);
    std::int64_t before = 0, after = 0;
    if (is_explicit && !absent) {
      before = padding.pairs()[rank == 1 ? 0 : d].first;
      after = padding.pairs()[rank == 1 ? 0 : d].second;
    } else if (padding.kind() == ConvPadding::Kind::kSame) {
      const std::int64_t stride = shape->strides[d], positions = size / stride + (size % stride != 0 ? 1 : 0);
      const std::int64_t missing =
          std::max<std::int64_t>(multiply_add(op, std::max<std::int64_t>(positions - 1, 0), stride, filter) - size, 0);
      before = missing / 2;
      after = missing - before;
    }
    shape->before[d] = before, shape->after[d] = after;
    shape->padded[d] = std::max<std::int64_t>(multiply_add(op, 1, multiply_add(op, 1, size, before), after), 0);
    // A filter without positions has as many outputs as a filter of one.
    const std::int64_t room = shape->padded[d] - std::max<std::int64_t>(filter, 1);
    shape->out[d] = room < 0 || filter == 0 ? 0 : room / shape->strides[d] + 1;
  }
}

}  // namespace

ConvShape conv_shape(std::string_view op, const TensorView& lhs, const TensorView& rhs, const ConvOptions& conv) {
  check_view(op, "lhs", lhs);
  check_view(op, "rhs", rhs);
  const std::string name(op);
  if ((lhs.rank() != 3 && lhs.rank() != 4) || lhs.rank() != rhs.rank()) {
    throw Error(name + ": lhs has shape " + to_string(lhs.shape()) + " and rhs has shape " + to_string(rhs.shape()) +
                "; expected both of rank 3 (one spatial dimension) or both of rank 4 (two)");
  }
  const bool flat = is_flat(lhs);
  const std::size_t rank = flat ? 1 : 2;
  const Layout left(op, "lhs_layout", lhs_layout(lhs, conv), flat ? "NCW" : "NCHW");
  const Layout right(op, "rhs_layout", rhs_layout(rhs, conv), flat ? "OIW" : "OIHW");
  ConvShape shape{by_meaning(lhs, left, 'N', 'C'),
                  by_meaning(rhs, right, 'O', 'I'),
                  numbers(op, "strides", conv.strides, rank),
                  numbers(op, "lhs_dilation", conv.lhs_dilation, rank),
                  numbers(op, "rhs_dilation", conv.rhs_dilation, rank),
                  {},
                  {},
                  {},
                  {},
                  conv.feature_groups,
                  lhs.shape()};
  if (shape.groups < 1) {
    throw Error(name + ": feature_groups is " + std::to_string(shape.groups) + "; expected 1 or more");
  }
  if (shape.lhs.features % shape.groups != 0 || shape.lhs.features / shape.groups != shape.rhs.features) {
    throw Error(name + ": lhs has " + std::to_string(shape.lhs.features) + " input features and rhs has " +
                std::to_string(shape.rhs.features) + " of each of " + std::to_string(shape.groups) +
                " groups; the first must be the product of the others (lhs shape " + to_string(lhs.shape()) +
                ", rhs shape " + to_string(rhs.shape()) + ")");
  }
  if (shape.rhs.outer % shape.groups != 0) {
    throw Error(name + ": rhs has " + std::to_string(shape.rhs.outer) + " output features, which " +
                std::to_string(shape.groups) + " groups do not divide");
  }
  pad(op, conv, rank, &shape);
  shape.out_shape[left('C')] = shape.rhs.outer;
  if (!flat) shape.out_shape[left('H')] = shape.out[0];
  shape.out_shape[left('W')] = shape.out[1];
  return shape;
}

ConvTensor as_output(const TensorView& view, const ConvOptions& conv) {
  return by_meaning(view, Layout("", "", lhs_layout(view, conv), is_flat(view) ? "NCW" : "NCHW"), 'N', 'C');
}

ConvTensor as_filter(const TensorView& view, const ConvOptions& conv) {
  return by_meaning(view, Layout("", "", rhs_layout(view, conv), is_flat(view) ? "OIW" : "OIHW"), 'O', 'I');
}

}  // namespace matprec::contraction
