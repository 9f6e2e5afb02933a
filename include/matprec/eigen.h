// matprec for Eigen: products of dense expressions, each with a precision of its own.
//
//   #include <matprec/eigen.h>
//   Eigen::MatrixXf c = mp::matmul(a.transpose(), b, {.precision = "tf32"});  // a function
//   c += mp::with("bf16x3", 2 * a * b.topRows(3));               // Eigen's notation
//
// Operands are MatrixBase expressions of float, double, Eigen::bfloat16, Eigen::half, std::complex
// of float or double, int8, uint8 or int32. Blocks, Maps, Refs, diagonals and transposes are read
// where they lie; negations and scalar factors become alpha of the epilogue (dot_general.h; a
// factor of 0 gives 0); any other expression is evaluated once, by Eigen. The sum is that of
// dot_general, bit for bit, whatever the storage orders; bfloat16 and half matrices add up in
// float32.
//
// Needs Eigen 3.4 on the include path, the library does not. Plain `a * b` stays Eigen's; to change
// that see eigen_hook.h. docs/eigen.md has it all.
#ifndef MATPREC_EIGEN_H_
#define MATPREC_EIGEN_H_

#include <Eigen/Core>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "matprec/dot_general.h"
#include "matprec/eigen_operand.h"
#include "matprec/eigen_product.h"
#include "matprec/eigen_view.h"
#include "matprec/precision.h"
#include "matprec/source_location.h"

namespace matprec {

// lhs * rhs as a plain matrix. Its scalar type is Scalar, as in matmul<float>(a, b), else the
// library's result_type: the wider type, int32 for integers. Scalar types may be mixed where
// dot_general allows it. Errors: as dot_general's, with the shapes, before Eigen asserts anything.
template <class Scalar = void, class Lhs, class Rhs>
typename detail::ProductMatrix<Scalar, Lhs, Rhs>::Type matmul(
    const Eigen::MatrixBase<Lhs>& lhs, const Eigen::MatrixBase<Rhs>& rhs,
    const DotOptions& options = {}, SourceLocation where = SourceLocation::current()) {
  static_assert(Lhs::ColsAtCompileTime == Eigen::Dynamic ||
                    Rhs::RowsAtCompileTime == Eigen::Dynamic ||
                    int(Lhs::ColsAtCompileTime) == int(Rhs::RowsAtCompileTime),
                "matprec::matmul: the columns of lhs are not as many as the rows of rhs");
  return detail::product_matrix<Scalar>({"eigen matmul", options, where}, detail::Alpha(1),
                                        lhs.derived(), rhs.derived(), detail::EvaluateByEigen());
}

namespace detail {

template <class Xpr>
inline constexpr bool is_product = false;
template <class Lhs, class Rhs, int kOption>
inline constexpr bool is_product<Eigen::Product<Lhs, Rhs, kOption>> = true;

// Is a product nested anywhere in the expression?
template <class Xpr>
constexpr bool contains_product() {
  using X = std::remove_cvref_t<Xpr>;
  if constexpr (is_product<X>) {
    return true;
  } else if constexpr (requires(const X& x) { x.nestedExpression(); }) {
    return contains_product<decltype(std::declval<const X&>().nestedExpression())>();
  } else if constexpr (requires(const X& x) { x.lhs(), x.rhs(); }) {
    return contains_product<decltype(std::declval<const X&>().lhs())>() ||
           contains_product<decltype(std::declval<const X&>().rhs())>();
  } else {
    return false;
  }
}

// Products among the operands are evaluated as the product that they are an operand of.
struct EvaluateByCall {
  const EigenCall& call;

  template <class Core>
  auto operator()(const Core& core) const {
    if constexpr (is_product<Core>) {
      return product_matrix<void>(call, Alpha(1), core.lhs(), core.rhs(), *this);
    } else {
      static_assert(!contains_product<Core>(),
                    "matprec::with does not reach a product inside a sum or other expression; "
                    "give that product a with() of its own");
      return typename Core::PlainObject(core);
    }
  }
};

}  // namespace detail

// What with() returns: an Eigen expression whose value is the product. Assigning it, or adding or
// subtracting it in place, writes the destination directly. Like every Eigen expression it refers
// to its operands: keep a matrix, not an `auto`.
template <class ScalarType, class Xpr>
class ProductExpression : public Eigen::MatrixBase<ProductExpression<ScalarType, Xpr>> {
 public:
  using Base = Eigen::MatrixBase<ProductExpression>;
  EIGEN_DENSE_PUBLIC_INTERFACE(ProductExpression)

  ProductExpression(const Xpr& product, const DotOptions& options, SourceLocation where)
      : product_(product), options_(options), where_(where) {}

  Eigen::Index rows() const { return product_.rows(); }
  Eigen::Index cols() const { return product_.cols(); }

  // An inner product is a number.
  operator Scalar() const  // NOLINT
      requires(RowsAtCompileTime == 1 && ColsAtCompileTime == 1) {
    typename Base::PlainObject value;
    update(value, Eigen::internal::assign_op<Scalar, Scalar>());
    return value.coeff(0, 0);
  }

  // dst = the product, or += or -=.
  template <class Dst, class Function>
  void update(Dst& dst, const Function& function) const {
    const detail::EigenCall call{"eigen product", options_, where_};
    const auto& product = detail::Peeled<Xpr>::core(product_);
    detail::update_by_product(call, dst, function, detail::Peeled<Xpr>::factor(product_),
                              product.lhs(), product.rhs(), detail::EvaluateByCall{call});
  }

 private:
  const Xpr product_;
  const DotOptions options_;
  const SourceLocation where_;
};

namespace detail {
// The product expression's operand types, by the product inside it.
template <class Scalar, class Xpr>
struct ExpressionOf {
  using Core = typename Peeled<Xpr>::Core;
  static_assert(is_product<Core> && !Peeled<Xpr>::kTransposed,
                "matprec::with takes a product of matrices, with or without a scalar factor: "
                "with(p, a * b), with(p, 2 * a * b)");
  using Plain = typename ProductMatrix<Scalar, typename Core::Lhs, typename Core::Rhs>::Type;
  using Type = ProductExpression<typename Plain::Scalar, Xpr>;
};
}  // namespace detail

// The product lhs * rhs, also with scalar factors, by these options: c = with(options, a * b). A
// product among the operands, as in a * b * c, runs by the same options. The expression's scalar
// type is Scalar, as in with<float>(options, a * b), else the library's result_type. Destinations
// may be any Eigen expression that can be assigned. One that shares memory with an operand gets the
// right value by way of a temporary, under noalias() too. += and -= are beta of the epilogue.
// Errors, when the value is taken: as dot_general_into's. (Unless NDEBUG is set Eigen ends the
// program on inner sizes that differ before with() is reached; matmul() does not let it.)
template <class Scalar = void, class Xpr>
typename detail::ExpressionOf<Scalar, Xpr>::Type with(
    const DotOptions& options, const Eigen::MatrixBase<Xpr>& product,
    SourceLocation where = SourceLocation::current()) {
  return {product.derived(), options, where};
}

// The same with all options but the precision left as they are: a name, a level, an algorithm.
template <class Scalar = void, class Request, class Xpr>
requires std::convertible_to<const Request&, PrecisionRequest>
typename detail::ExpressionOf<Scalar, Xpr>::Type with(
    const Request& precision, const Eigen::MatrixBase<Xpr>& product,
    SourceLocation where = SourceLocation::current()) {
  DotOptions options;
  options.precision = precision;
  return {product.derived(), options, where};
}

}  // namespace matprec

namespace Eigen::internal {

template <class Scalar_, class Xpr>
struct traits<matprec::ProductExpression<Scalar_, Xpr>>
    : traits<typename matprec::detail::ExpressionOf<Scalar_, Xpr>::Plain> {
  enum {
    Flags = traits<typename matprec::detail::ExpressionOf<Scalar_, Xpr>::Plain>::Flags & RowMajorBit
  };
};

// Inside another expression the product is evaluated into a matrix first.
template <class Scalar, class Xpr>
struct evaluator<matprec::ProductExpression<Scalar, Xpr>>
    : evaluator<typename matprec::ProductExpression<Scalar, Xpr>::PlainObject> {
  using XprType = matprec::ProductExpression<Scalar, Xpr>;
  using Plain = typename XprType::PlainObject;
  enum { Flags = evaluator<Plain>::Flags | EvalBeforeNestingBit };

  explicit evaluator(const XprType& x) : value_(x.rows(), x.cols()) {
    x.update(value_, assign_op<Scalar, Scalar>());
    ::new (static_cast<evaluator<Plain>*>(this)) evaluator<Plain>(value_);
  }

 private:
  Plain value_;
};

template <class Dst, class Scalar, class Xpr>
struct Assignment<Dst, matprec::ProductExpression<Scalar, Xpr>, assign_op<Scalar, Scalar>,
                  Dense2Dense> {
  static void run(Dst& dst, const matprec::ProductExpression<Scalar, Xpr>& src,
                  const assign_op<Scalar, Scalar>& function) {
    src.update(dst, function);
  }
};
template <class Dst, class Scalar, class Xpr>
struct Assignment<Dst, matprec::ProductExpression<Scalar, Xpr>, add_assign_op<Scalar, Scalar>,
                  Dense2Dense> {
  static void run(Dst& dst, const matprec::ProductExpression<Scalar, Xpr>& src,
                  const add_assign_op<Scalar, Scalar>& function) {
    src.update(dst, function);
  }
};
template <class Dst, class Scalar, class Xpr>
struct Assignment<Dst, matprec::ProductExpression<Scalar, Xpr>, sub_assign_op<Scalar, Scalar>,
                  Dense2Dense> {
  static void run(Dst& dst, const matprec::ProductExpression<Scalar, Xpr>& src,
                  const sub_assign_op<Scalar, Scalar>& function) {
    src.update(dst, function);
  }
};

}  // namespace Eigen::internal

#endif  // MATPREC_EIGEN_H_
