// An operand of an Eigen product as factor * view: what a product can read in place is not copied.
//
// Transposes, negations and scalar factors are read off an expression down to its core. A core that
// lies in memory is read where it lies; any other, a conjugate for example, is evaluated once.
#ifndef MATPREC_EIGEN_OPERAND_H_
#define MATPREC_EIGEN_OPERAND_H_

#include <Eigen/Core>
#include <complex>
#include <type_traits>
#include <utility>

#include "matprec/dot_general.h"
#include "matprec/eigen_view.h"
#include "matprec/element_type.h"
#include "matprec/tensor.h"

namespace matprec::detail {

// What alpha of an epilogue can hold.
using Alpha = std::remove_cvref_t<decltype(DotEpilogue::alpha)>;

template <class Scalar>
concept EigenElement = requires {
  ElementTypeOf<Scalar>::value;
};

// A factor of this type can wait until the sum is complete. Integers have no epilogue.
template <class Factor>
concept DeferredFactor =
    EigenElement<Factor> && !is_integer(element_type_of<Factor>) &&
    (!Eigen::NumTraits<Factor>::IsComplex || std::is_constructible_v<Alpha, std::complex<double>>);

// The product of two factors. Complex arithmetic would make NaN of Inf * (1 + 0i).
inline Alpha multiplied(const std::complex<double>& a, const std::complex<double>& b) {
  if (a.imag() == 0 && b.imag() == 0) return Alpha(a.real() * b.real());
  return Alpha(a * b);
}

template <DeferredFactor Factor>
Alpha to_alpha(const Factor& factor) {
  if constexpr (Eigen::NumTraits<Factor>::IsComplex) {
    return Alpha(std::complex<double>(factor));
  } else if constexpr (std::is_arithmetic_v<Factor>) {
    return Alpha(static_cast<double>(factor));
  } else {
    return Alpha(static_cast<double>(static_cast<float>(factor)));  // bfloat16, half
  }
}

// An expression without its wrappers. `factor` is what the core is multiplied by, one product of
// float64 numbers a wrapper.
template <class Xpr>
struct Peeled {
  using Core = Xpr;
  static constexpr bool kTransposed = false;
  static const Core& core(const Xpr& x) { return x; }
  static Alpha factor(const Xpr&) { return Alpha(1); }
};
template <class Xpr>
struct Peeled<const Xpr> : Peeled<Xpr> {};

template <class Nested>
struct Peeled<Eigen::Transpose<Nested>> : Peeled<std::remove_const_t<Nested>> {
  using Inner = Peeled<std::remove_const_t<Nested>>;
  using Xpr = Eigen::Transpose<Nested>;
  static constexpr bool kTransposed = !Inner::kTransposed;
  static const typename Inner::Core& core(const Xpr& x) {
    return Inner::core(x.nestedExpression());
  }
  static Alpha factor(const Xpr& x) { return Inner::factor(x.nestedExpression()); }
};

// Negations and scalar multiples whose factor can wait: they change no scalar type, and there is an
// epilogue.
template <class Xpr, class Nested>
concept DeferredMultiple =
    EigenElement<typename Xpr::Scalar> && !is_integer(element_type_of<typename Xpr::Scalar>) &&
    std::is_same_v<typename Xpr::Scalar, typename std::remove_const_t<Nested>::Scalar>;

template <class Scalar, class Nested>
requires DeferredMultiple<Eigen::CwiseUnaryOp<Eigen::internal::scalar_opposite_op<Scalar>, Nested>,
                          Nested>
struct Peeled<Eigen::CwiseUnaryOp<Eigen::internal::scalar_opposite_op<Scalar>, Nested>>
    : Peeled<std::remove_const_t<Nested>> {
  using Inner = Peeled<std::remove_const_t<Nested>>;
  using Xpr = Eigen::CwiseUnaryOp<Eigen::internal::scalar_opposite_op<Scalar>, Nested>;
  static const typename Inner::Core& core(const Xpr& x) {
    return Inner::core(x.nestedExpression());
  }
  static Alpha factor(const Xpr& x) { return -Inner::factor(x.nestedExpression()); }
};

template <class Scalar, class Plain>
using EigenConstant = Eigen::CwiseNullaryOp<Eigen::internal::scalar_constant_op<Scalar>, Plain>;

template <class Factor, class Scalar, class Plain, class Nested>
requires DeferredMultiple < Eigen::CwiseBinaryOp <
    Eigen::internal::scalar_product_op<Factor, Scalar>,
const EigenConstant<Factor, Plain>, Nested >,
    Nested > &&DeferredFactor<Factor> struct Peeled<
                 Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<Factor, Scalar>,
                                      const EigenConstant<Factor, Plain>, Nested>>
    : Peeled<std::remove_const_t<Nested>> {
  using Inner = Peeled<std::remove_const_t<Nested>>;
  using Xpr = Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<Factor, Scalar>,
                                   const EigenConstant<Factor, Plain>, Nested>;
  static const typename Inner::Core& core(const Xpr& x) { return Inner::core(x.rhs()); }
  static Alpha factor(const Xpr& x) {
    return multiplied(to_alpha(x.lhs().functor().m_other), Inner::factor(x.rhs()));
  }
};

template <class Scalar, class Factor, class Nested, class Plain>
requires DeferredMultiple < Eigen::CwiseBinaryOp <
    Eigen::internal::scalar_product_op<Scalar, Factor>,
    Nested,
const EigenConstant < Factor, Plain >>,
    Nested > &&DeferredFactor<Factor> struct Peeled<
                 Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<Scalar, Factor>, Nested,
                                      const EigenConstant<Factor, Plain>>>
    : Peeled<std::remove_const_t<Nested>> {
  using Inner = Peeled<std::remove_const_t<Nested>>;
  using Xpr = Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<Scalar, Factor>, Nested,
                                   const EigenConstant<Factor, Plain>>;
  static const typename Inner::Core& core(const Xpr& x) { return Inner::core(x.lhs()); }
  static Alpha factor(const Xpr& x) {
    return multiplied(Inner::factor(x.lhs()), to_alpha(x.rhs().functor().m_other));
  }
};

// A constant times a constant is no multiple of a matrix.
template <class A, class B, class PlainA, class PlainB>
struct Peeled<
    Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<A, B>, const EigenConstant<A, PlainA>,
                         const EigenConstant<B, PlainB>>> {
  using Core = Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<A, B>,
                                    const EigenConstant<A, PlainA>, const EigenConstant<B, PlainB>>;
  static constexpr bool kTransposed = false;
  static const Core& core(const Core& x) { return x; }
  static Alpha factor(const Core&) { return Alpha(1); }
};

// What a product reads of an operand. `Evaluate` makes a plain object of a core that lies not in
// memory.
template <class Xpr, class Evaluate>
class EigenOperand {
 public:
  EigenOperand(const Xpr& x, const Evaluate& evaluate)
      : storage_(store(Peeled<Xpr>::core(x), evaluate)), factor_(Peeled<Xpr>::factor(x)) {}
  EigenOperand(const EigenOperand&) = delete;
  EigenOperand& operator=(const EigenOperand&) = delete;

  TensorView view() const {
    const TensorView core = tensor_view(std::as_const(storage_));
    if constexpr (Peeled<Xpr>::kTransposed) {
      return TensorView(core.data(), core.type(), {core.shape()[1], core.shape()[0]},
                        {core.strides()[1], core.strides()[0]});
    } else {
      return core;
    }
  }
  const Alpha& factor() const { return factor_; }

 private:
  using Core = typename Peeled<Xpr>::Core;
  using Storage = std::conditional_t<EigenDirectAccess<Core>, const Core&,
                                     std::invoke_result_t<const Evaluate&, const Core&>>;

  static Storage store(const Core& core, const Evaluate& evaluate) {
    if constexpr (EigenDirectAccess<Core>) {
      return core;
    } else {
      return evaluate(core);
    }
  }

  const Storage storage_;
  const Alpha factor_;
};

}  // namespace matprec::detail

#endif  // MATPREC_EIGEN_OPERAND_H_
