// The one place where an Eigen product becomes a dot_general: destination, operands, factor,
// aliasing.
#ifndef MATPREC_EIGEN_PRODUCT_H_
#define MATPREC_EIGEN_PRODUCT_H_

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "matprec/dot_general.h"
#include "matprec/eigen_operand.h"
#include "matprec/eigen_view.h"
#include "matprec/element_type.h"
#include "matprec/error.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"

namespace matprec::detail {

// A product as its caller wrote it.
struct EigenCall {
  std::string_view op;  // for errors and traces
  const DotOptions& options;
  SourceLocation where;
};

// The scalar type of a product when none is asked for: the C++ type of result_type().
template <class Lhs, class Rhs>
constexpr auto result_scalar() {
  constexpr ElementType lhs = element_type_of<Lhs>, rhs = element_type_of<Rhs>;
  constexpr bool wide = real_type(lhs) == ElementType::kF64 || real_type(rhs) == ElementType::kF64;
  static_assert(is_integer(lhs) == is_integer(rhs),
                "matprec: integers multiply integers; cast one operand, as in a.cast<float>()");
  if constexpr (is_integer(lhs)) {
    return std::int32_t{};
  } else if constexpr (is_complex(lhs) || is_complex(rhs)) {
    return std::conditional_t<wide, std::complex<double>, std::complex<float>>{};
  } else if constexpr (lhs == rhs && !is_float8(lhs)) {
    return Lhs{};
  } else {
    return std::conditional_t<wide, double, float>{};
  }
}

template <class Scalar, class Lhs, class Rhs>
struct ScalarOrDefault {
  using Type = Scalar;
};
template <class Lhs, class Rhs>
struct ScalarOrDefault<void, Lhs, Rhs> {
  using Type = decltype(result_scalar<typename Lhs::Scalar, typename Rhs::Scalar>());
};

// The plain matrix that holds lhs * rhs; of scalar type void: the default one.
template <class Scalar, class Lhs, class Rhs>
struct ProductMatrix {
  static constexpr int kMaxRows = Lhs::MaxRowsAtCompileTime,
                       kMaxColumns = Rhs::MaxColsAtCompileTime;
  static constexpr int kOrder = kMaxRows == 1 && kMaxColumns != 1 ? int(Eigen::RowMajor)
                                : kMaxColumns == 1 && kMaxRows != 1
                                    ? int(Eigen::ColMajor)
                                    : int(EIGEN_DEFAULT_MATRIX_STORAGE_ORDER_OPTION);
  using Type =
      Eigen::Matrix<typename ScalarOrDefault<Scalar, Lhs, Rhs>::Type, Lhs::RowsAtCompileTime,
                    Rhs::ColsAtCompileTime, kOrder, kMaxRows, kMaxColumns>;
};

template <class Dst>
inline constexpr bool is_plain_object = std::is_base_of_v<Eigen::PlainObjectBase<Dst>, Dst>;

// Can dst take on another shape?
template <class Dst>
bool can_become(const Dst& dst, Eigen::Index rows, Eigen::Index columns) {
  const auto fits = [](int fixed, int most, Eigen::Index size) {
    return fixed == Eigen::Dynamic ? most == Eigen::Dynamic || size <= most : size == fixed;
  };
#ifdef EIGEN_NO_AUTOMATIC_RESIZING
  if (dst.size() != 0) return false;
#else
  (void)dst;
#endif
  return is_plain_object<Dst> && fits(Dst::RowsAtCompileTime, Dst::MaxRowsAtCompileTime, rows) &&
         fits(Dst::ColsAtCompileTime, Dst::MaxColsAtCompileTime, columns);
}

// Do the address ranges of two views meet? (No: they share no element.)
inline bool ranges_meet(const TensorView& a, const TensorView& b) {
  struct Range {
    std::intptr_t first, end;
  };
  const auto range_of = [](const TensorView& view) {
    std::int64_t low = 0, high = 0;  // in elements
    for (std::size_t d = 0; d < view.rank(); ++d) {
      if (view.shape()[d] == 0) return Range{0, 0};
      const std::int64_t extent = (view.shape()[d] - 1) * view.strides()[d];
      (extent < 0 ? low : high) += extent;
    }
    const auto address = reinterpret_cast<std::intptr_t>(view.data());
    const auto size = static_cast<std::int64_t>(size_of(view.type()));
    return Range{address + low * size, address + (high + 1) * size};
  };
  const Range x = range_of(a), y = range_of(b);
  return x.first < y.end && y.first < x.end;
}

// Evaluates what lies not in memory as Eigen does.
struct EvaluateByEigen {
  template <class Core>
  typename Core::PlainObject operator()(const Core& core) const {
    return typename Core::PlainObject(core);
  }
};

// dst = factor * lhs * rhs, or += or -= : `Function` is Eigen's assign_op, add_assign_op or
// sub_assign_op. alpha and beta do it in place, with one rounding to dst's type, unless dst shares
// memory with an operand or has to change its shape; then a temporary does, with the same bits.
template <class Dst, class Function, class Lhs, class Rhs, class Evaluate>
void update_by_product(const EigenCall& call, Dst& dst, const Function& function, Alpha factor,
                       const Lhs& lhs, const Rhs& rhs, const Evaluate& evaluate) {
  static_assert(std::is_base_of_v<Eigen::MatrixBase<Lhs>, Lhs> &&
                    std::is_base_of_v<Eigen::MatrixBase<Rhs>, Rhs>,
                "matprec: operands are dense matrices; make one of a triangular, self-adjoint, "
                "diagonal, permutation or sparse operand first");
  using Scalar = typename Dst::Scalar;
  using Product = typename ProductMatrix<void, Lhs, Rhs>::Type;
  constexpr bool assigns = std::is_same_v<Function, Eigen::internal::assign_op<Scalar, Scalar>>;
  const Eigen::Index rows = lhs.rows(), columns = rhs.cols();
  const bool reshapes =
      assigns && (dst.rows() != rows || dst.cols() != columns) && can_become(dst, rows, columns);

  if constexpr (!EigenWritable<Dst> || (is_integer(element_type_of<Scalar>) && !assigns)) {
    // Elements at no fixed strides, or integers, which have no epilogue.
    using Value = Eigen::Matrix<Scalar, Product::RowsAtCompileTime, Product::ColsAtCompileTime,
                                Product::Options, Product::MaxRowsAtCompileTime,
                                Product::MaxColsAtCompileTime>;
    Value value(rows, columns);
    update_by_product(call, value, Eigen::internal::assign_op<Scalar, Scalar>(), factor, lhs, rhs,
                      evaluate);
    if (dst.rows() != rows || dst.cols() != columns) {
      throw Error(std::string(call.op) + ": the destination has shape " +
                  to_string(Dims{dst.rows(), dst.cols()}) + ", but the result has " +
                  to_string(Dims{rows, columns}));
    }
    Eigen::internal::call_assignment_no_alias(dst, value, function);
  } else {
    const EigenOperand<Lhs, Evaluate> a(lhs, evaluate);
    const EigenOperand<Rhs, Evaluate> b(rhs, evaluate);
    const TensorView a_view = a.view(), b_view = b.view();
    const DotDimensionNumbers numbers = {
        .lhs_contracting = {1}, .rhs_contracting = {0}, .lhs_batch = {}, .rhs_batch = {}};
    DotEpilogue epilogue;
    epilogue.alpha = multiplied(multiplied(factor, a.factor()), b.factor());
    if constexpr (!assigns) {
      epilogue.beta = 1;
      if constexpr (!std::is_same_v<Function, Eigen::internal::add_assign_op<Scalar, Scalar>>) {
        static_assert(std::is_same_v<Function, Eigen::internal::sub_assign_op<Scalar, Scalar>>);
        epilogue.alpha = -epilogue.alpha;
      }
    }
    const MutableTensorView out = tensor_view(dst);
    if (!reshapes && !ranges_meet(out, a_view) && !ranges_meet(out, b_view)) {
      dot_general_into_as(call.op, out, a_view, b_view, numbers, call.options, epilogue,
                          call.where);
      return;
    }
    using Value = typename Dst::PlainObject;
    Value value(reshapes ? rows : dst.rows(), reshapes ? columns : dst.cols());
    if constexpr (!assigns) epilogue.c = out;
    dot_general_into_as(call.op, tensor_view(value), a_view, b_view, numbers, call.options,
                        epilogue, call.where);
    if constexpr (is_plain_object<Dst>) {
      dst = std::move(value);
    } else {
      dst = value;
    }
  }
}

// The product as a plain matrix.
template <class Scalar, class Lhs, class Rhs, class Evaluate>
typename ProductMatrix<Scalar, Lhs, Rhs>::Type product_matrix(const EigenCall& call, Alpha factor,
                                                              const Lhs& lhs, const Rhs& rhs,
                                                              const Evaluate& evaluate) {
  using Result = typename ProductMatrix<Scalar, Lhs, Rhs>::Type;
  using S = typename Result::Scalar;
  Result result(lhs.rows(), rhs.cols());
  update_by_product(call, result, Eigen::internal::assign_op<S, S>(), factor, lhs, rhs, evaluate);
  return result;
}

}  // namespace matprec::detail

#endif  // MATPREC_EIGEN_PRODUCT_H_
