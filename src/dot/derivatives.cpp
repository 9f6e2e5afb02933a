#include "matprec/derivatives.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "matprec/convert.h"
#include "matprec/error.h"
#include "src/dot/backward.h"
#include "src/dot/describe.h"
#include "src/dot/dot_shape.h"
#include "src/dot/product.h"

namespace matprec {
namespace contraction {
namespace {

constexpr std::string_view kVjp = "dot_general_vjp", kJvp = "dot_general_jvp";

Dims range(std::int64_t first, std::size_t count) {
  Dims result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(first + static_cast<std::int64_t>(i));
  return result;
}

// One operand and the other, with their lists of dimensions.
struct Operand {
  const TensorView& view;
  const Dims &batch, &contracting;
  Dims kept;
};

// The product of g, which is the result's cotangent, with the operand y, whose result is the cotangent of x.
struct BackwardProduct {
  DotDimensionNumbers numbers;  // of g and y
  ResultLayout layout;          // of x
};

BackwardProduct backward_product(const Operand& x, const Operand& y, bool x_is_lhs) {
  // g has the batch dimensions, then lhs's kept ones, then rhs's.
  const std::int64_t batch = static_cast<std::int64_t>(x.batch.size());
  const std::int64_t first = batch + (x_is_lhs ? static_cast<std::int64_t>(x.kept.size()) : 0);
  BackwardProduct product;
  product.numbers = {range(first, y.kept.size()), y.kept, range(0, x.batch.size()), y.batch};

  // The result has the batch dimensions, x's kept ones, then y's contracting ones as they stand in y.
  std::vector<std::size_t> order(y.contracting.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return y.contracting[i] < y.contracting[j]; });
  const Dims strides = row_major_strides(x.view.shape());
  product.layout.shape = x.view.shape();
  const auto walk = [&](std::int64_t dim) { product.layout.strides.push_back(strides[static_cast<std::size_t>(dim)]); };
  for (const std::int64_t dim : x.batch) walk(dim);
  for (const std::int64_t dim : x.kept) walk(dim);
  for (const std::size_t i : order) walk(x.contracting[i]);
  return product;
}

struct Operands {
  Operands(const TensorView& l, const TensorView& r, const DotDimensionNumbers& n, const DotShape& shape)
      : lhs{l, n.lhs_batch, n.lhs_contracting, shape.lhs_kept}, rhs{r, n.rhs_batch, n.rhs_contracting, shape.rhs_kept} {}
  Operand lhs, rhs;
};

// Elements of a complex tensor without their imaginary parts.
Tensor real_parts(const Tensor& complex, ElementType type) {
  Dims strides = row_major_strides(complex.shape());
  for (std::int64_t& stride : strides) stride *= 2;
  return convert(TensorView(complex.data(), real_type(complex.type()), complex.shape(), strides), type);
}

Tensor cotangent_of(const Operand& x, const Operand& y, bool x_is_lhs, const TensorView& g, ElementType type,
                    const Resolution& resolution, std::string_view label, SourceLocation where) {
  const BackwardProduct p = backward_product(x, y, x_is_lhs);
  // A real operand of a complex product has the real part of what the product gives.
  const bool drops_imaginary = is_complex(g.type()) && !is_complex(type);
  DotOptions options;
  options.label = label;
  options.preferred_element_type = !drops_imaginary            ? type
                                   : type == ElementType::kF64 ? ElementType::kC128
                                                               : ElementType::kC64;
  Tensor result = product({kVjp, g, y.view, options, where, &resolution}, g, y.view, p.numbers, &p.layout);
  return drops_imaginary ? real_parts(result, type) : std::move(result);
}

}  // namespace
}  // namespace contraction

DotPullback::DotPullback(const TensorView& lhs, const TensorView& rhs, const DotDimensionNumbers& numbers,
                         const DotOptions& options, SourceLocation where)
    : lhs_(lhs),
      rhs_(rhs),
      numbers_(numbers),
      out_shape_(contraction::dot_shape(contraction::kVjp, lhs, rhs, numbers).out),
      out_type_(contraction::out_type({contraction::kVjp, lhs, rhs, options, where})),
      label_(options.label),
      where_(where),
      forward_(resolve(options.precision, lhs.type(), rhs.type())) {
  contraction::refuse_integers(contraction::kVjp, forward_);
  lhs_resolution_ = contraction::backward(options.transpose_algorithm.lhs, forward_, out_type_, rhs.type());
  rhs_resolution_ = contraction::backward(options.transpose_algorithm.rhs, forward_, out_type_, lhs.type());
}

Tensor DotPullback::lhs(const TensorView& cotangent, const CotangentOptions& options) const {
  contraction::check_cotangent(contraction::kVjp, cotangent, out_shape_, out_type_);
  const contraction::Operands o(lhs_, rhs_, numbers_, contraction::dot_shape(contraction::kVjp, lhs_, rhs_, numbers_));
  return contraction::cotangent_of(o.lhs, o.rhs, true, cotangent, contraction::cotangent_type(contraction::kVjp, options, lhs_.type()),
                                   lhs_resolution_, label_, where_);
}

Tensor DotPullback::rhs(const TensorView& cotangent, const CotangentOptions& options) const {
  contraction::check_cotangent(contraction::kVjp, cotangent, out_shape_, out_type_);
  const contraction::Operands o(lhs_, rhs_, numbers_, contraction::dot_shape(contraction::kVjp, lhs_, rhs_, numbers_));
  return contraction::cotangent_of(o.rhs, o.lhs, false, cotangent, contraction::cotangent_type(contraction::kVjp, options, rhs_.type()),
                                   rhs_resolution_, label_, where_);
}

DotCotangents DotPullback::operator()(const TensorView& cotangent, const CotangentOptions& options) const {
  return {lhs(cotangent, options), rhs(cotangent, options)};
}

DotVjp dot_general_vjp(const TensorView& lhs, const TensorView& rhs, const DotDimensionNumbers& numbers,
                       const DotOptions& options, SourceLocation where) {
  DotPullback pullback(lhs, rhs, numbers, options, where);
  Tensor out = contraction::product({contraction::kVjp, lhs, rhs, options, where, &pullback.forward()}, lhs, rhs, numbers);
  return {std::move(out), std::move(pullback)};
}

DotJvp dot_general_jvp(const TensorView& lhs, const TensorView& rhs, const TensorView& lhs_tangent,
                       const TensorView& rhs_tangent, const DotDimensionNumbers& numbers, const DotOptions& options,
                       SourceLocation where) {
  const std::string op(contraction::kJvp);
  const auto check_tangent = [&](const char* name, const TensorView& tangent, const TensorView& operand) {
    if (tangent.shape() == operand.shape()) return;
    throw Error(op + ": " + name + "_tangent has shape " + to_string(tangent.shape()) + ", but " + name + " has " +
                to_string(operand.shape()));
  };
  const Resolution forward = resolve(options.precision, lhs.type(), rhs.type());
  contraction::refuse_integers(op, forward);
  check_tangent("lhs", lhs_tangent, lhs);
  check_tangent("rhs", rhs_tangent, rhs);
  Tensor out = contraction::product({op, lhs, rhs, options, where, &forward}, lhs, rhs, numbers);

  // After 8-bit floats the tangents need not be such.
  const Resolution algorithm = contraction::backward({}, forward, out.type(), rhs.type());
  const bool wide = info(algorithm.algorithm).accumulation == PrecisionType::kF64 || real_type(out.type()) == ElementType::kF64;
  DotOptions kept = options;
  kept.preferred_element_type = is_complex(out.type()) ? (wide ? ElementType::kC128 : ElementType::kC64)
                                                       : (wide ? ElementType::kF64 : ElementType::kF32);
  const Tensor first =
      contraction::product({op, lhs_tangent, rhs, kept, where, &algorithm}, lhs_tangent, rhs, numbers);
  kept.preferred_element_type = out.type();
  Tensor tangent = Tensor::uninitialized(out.type(), out.shape());
  contraction::product_into({op, lhs, rhs_tangent, kept, where, &algorithm}, tangent, numbers,
                            {.alpha = 1, .beta = 1, .c = first, .bias = {}});
  return {std::move(out), std::move(tangent)};
}

DotVjpExplanation explain_vjp(const TensorView& lhs, const TensorView& rhs, const DotDimensionNumbers& numbers,
                              const DotOptions& options) {
  const DotPullback pullback(lhs, rhs, numbers, options, SourceLocation());
  const contraction::Operands o(lhs, rhs, numbers, contraction::dot_shape(contraction::kVjp, lhs, rhs, numbers));
  const TensorView g(nullptr, pullback.out_type_, pullback.out_shape_);
  const auto explain_side = [&](const contraction::Operand& x, const contraction::Operand& y, bool x_is_lhs,
                                const Resolution& resolution) {
    // Sums of a real operand of a complex product are complex on the way.
    const ElementType type = is_complex(g.type()) && !is_complex(x.view.type()) ? g.type() : x.view.type();
    return contraction::describe(resolution, g, y.view, type, contraction::backward_product(x, y, x_is_lhs).numbers,
                                 contraction::kVjp);
  };
  return {contraction::describe(pullback.forward(), lhs, rhs, pullback.out_type_, numbers, contraction::kVjp),
          explain_side(o.lhs, o.rhs, true, pullback.lhs_resolution()),
          explain_side(o.rhs, o.lhs, false, pullback.rhs_resolution())};
}

}  // namespace matprec
