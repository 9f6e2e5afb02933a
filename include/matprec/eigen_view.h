// Eigen's matrices as views: Eigen::bfloat16 and Eigen::half as element types, and tensor_view().
//
//   Eigen::MatrixXf m(3, 4);
//   mp::MutableTensorView v = mp::tensor_view(m);               // shape (3, 4), column-major
//   strides mp::Tensor c = mp::matmul(mp::tensor_view(m.transpose()), v);
//
// Needs Eigen 3.4 on the include path; the library itself does not.
#ifndef MATPREC_EIGEN_VIEW_H_
#define MATPREC_EIGEN_VIEW_H_

#include <Eigen/Core>
#include <type_traits>

#include "matprec/element_type.h"
#include "matprec/tensor.h"

namespace matprec {

template <>
struct ElementTypeOf<Eigen::bfloat16> : detail::ElementTypeConstant<ElementType::kBF16> {};
template <>
struct ElementTypeOf<Eigen::half> : detail::ElementTypeConstant<ElementType::kF16> {};

namespace detail {

// The elements of such an expression lie in memory, at two strides.
template <class Xpr>
concept EigenDirectAccess = (int(Eigen::internal::traits<std::remove_cvref_t<Xpr>>::Flags) &
                             Eigen::DirectAccessBit) != 0;

// ... and may be written. A Block of a Matrix is writable as an rvalue too, a const one never.
template <class Xpr>
concept EigenWritable =
    EigenDirectAccess<Xpr> && !std::is_const_v<std::remove_reference_t<Xpr>> &&
    (int(Eigen::internal::traits<std::remove_cvref_t<Xpr>>::Flags) & Eigen::LvalueBit) != 0;

}  // namespace detail

// The elements of an Eigen object or expression as a view of shape (rows, columns); a vector has a
// size of 1 in one of them. A MutableTensorView where the expression can be written, else a
// TensorView. Takes what lies in memory: Matrix, Array, Map, Ref, their blocks, rows, columns,
// diagonals and transposes. The view is good for as long as the object behind the expression.
template <detail::EigenDirectAccess Xpr>
auto tensor_view(Xpr&& x) {
  using Scalar = typename std::remove_cvref_t<Xpr>::Scalar;
  using View = std::conditional_t<detail::EigenWritable<Xpr>, MutableTensorView, TensorView>;
  using Pointer = std::conditional_t<detail::EigenWritable<Xpr>, Scalar*, const Scalar*>;
  const Pointer data = x.data();
  return View(data, {x.rows(), x.cols()}, {x.rowStride(), x.colStride()});
}

}  // namespace matprec

#endif  // MATPREC_EIGEN_VIEW_H_
