// Opt-in: Eigen's own `a * b` runs in matprec, under the precision in force (policy.h).
//
//   #include <matprec/eigen_hook.h>       // before every Eigen header
//   mp::ScopedPrecision guard("bf16x3");
//   c.noalias() -= a * b.transpose();     // bf16x3
//
// Caught are dense products of float, double, Eigen::bfloat16, Eigen::half and std::complex of float
// and double: matrix by matrix of any run-time size, matrix by vector, inner and outer products; also those that Eigen's
// decompositions are made of. Not caught: products whose sizes are all compile-time numbers below
// 8, lazyProduct(), dot(), diagonal() and trace() of a product, outer products with a vector of
// fixed size below 8 inside a larger expression, triangular, self-adjoint, sparse and integer
// products.
//
// One rule: every source file of the program that multiplies Eigen matrices includes this header
// first, for example by the compiler option `-include matprec/eigen_hook.h`. Otherwise the program
// holds two definitions of Eigen's templates, and the linker takes either. check_eigen_hook() finds
// that out.
#ifndef MATPREC_EIGEN_HOOK_H_
#define MATPREC_EIGEN_HOOK_H_

#ifdef EIGEN_CORE_H
#error "matprec/eigen_hook.h comes after an Eigen header; include it first, in every file"
#endif

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "matprec/dot_general.h"
#include "matprec/eigen.h"
#include "matprec/eigen_operand.h"
#include "matprec/eigen_product.h"
#include "matprec/error.h"

namespace matprec::detail {

template <int kSize, int kMaxSize>
inline constexpr bool is_large_size =
    bool(Eigen::internal::product_size_category<kSize, kMaxSize>::is_large);

// Eigen computes products of small fixed sizes inline, in fewer instructions than a call takes.
template <class Lhs, class Rhs>
concept HookedProduct = DeferredFactor<typename Lhs::Scalar> &&
    DeferredFactor<typename Rhs::Scalar> &&
    (is_large_size<Lhs::RowsAtCompileTime, Lhs::MaxRowsAtCompileTime> ||
     is_large_size<Rhs::ColsAtCompileTime, Rhs::MaxColsAtCompileTime> ||
     (is_large_size<Lhs::ColsAtCompileTime, Lhs::MaxColsAtCompileTime> &&
      is_large_size<Rhs::RowsAtCompileTime, Rhs::MaxRowsAtCompileTime>));

// What Eigen asks of an implementation of products.
template <class Lhs, class Rhs>
struct HookedProductImpl {
  using Scalar = typename Eigen::Product<Lhs, Rhs>::Scalar;

  template <class Dst>
  static void evalTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    update(dst, Eigen::internal::assign_op<typename Dst::Scalar, typename Dst::Scalar>(), Alpha(1),
           lhs, rhs);
  }
  template <class Dst>
  static void addTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    scaleAndAddTo(dst, lhs, rhs, Scalar(1));
  }
  template <class Dst>
  static void subTo(Dst& dst, const Lhs& lhs, const Rhs& rhs) {
    scaleAndAddTo(dst, lhs, rhs, Scalar(-1));
  }
  template <class Dst>
  static void scaleAndAddTo(Dst& dst, const Lhs& lhs, const Rhs& rhs, const Scalar& alpha) {
    update(dst, Eigen::internal::add_assign_op<typename Dst::Scalar, typename Dst::Scalar>(),
           to_alpha(alpha), lhs, rhs);
  }

 private:
  template <class Dst, class Function>
  static void update(Dst& dst, const Function& function, const Alpha& alpha, const Lhs& lhs,
                     const Rhs& rhs) {
    static const DotOptions options;
    update_by_product({"eigen hook", options, {}}, dst, function, alpha, lhs, rhs,
                      EvaluateByEigen());
  }
};

}  // namespace matprec::detail

namespace Eigen::internal {

template <class Lhs, class Rhs>
requires matprec::detail::HookedProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>
    : matprec::detail::HookedProductImpl<Lhs, Rhs> {
};
template <class Lhs, class Rhs>
requires matprec::detail::HookedProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemvProduct>
    : matprec::detail::HookedProductImpl<Lhs, Rhs> {
};
template <class Lhs, class Rhs>
requires matprec::detail::HookedProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, InnerProduct>
    : matprec::detail::HookedProductImpl<Lhs, Rhs> {
};
template <class Lhs, class Rhs>
requires matprec::detail::HookedProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, OuterProduct>
    : matprec::detail::HookedProductImpl<Lhs, Rhs> {
};
template <class Lhs, class Rhs>
requires matprec::detail::HookedProduct<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, CoeffBasedProductMode>
    : matprec::detail::HookedProductImpl<Lhs, Rhs> {
};

}  // namespace Eigen::internal

namespace matprec {

// Errors: the program's `a * b` of run-time sized float matrices, or of a matrix and a vector, is
// not the hooked one, because some source file was compiled without this header. A call at the
// start of main() or in a test is enough; what each file has inlined for itself it cannot see.
inline void check_eigen_hook() {
  // Whatever the algorithm, matprec writes a NaN as 0x7FC00000; the processor keeps the operand's
  // payload.
  const float nan = std::bit_cast<float>(std::uint32_t{0x7FC12345});
  const Eigen::MatrixXf a = Eigen::MatrixXf::Constant(32, 32, nan);
  const Eigen::VectorXf v = Eigen::VectorXf::Ones(32);
  Eigen::MatrixXf c(32, 32);
  Eigen::VectorXf w(32);
  c.noalias() = a * a;
  w.noalias() = a * v;
  for (const float* element : {c.data(), w.data()}) {
    if (std::bit_cast<std::uint32_t>(*element) != 0x7FC00000u) {
      throw Error(
          "check_eigen_hook: a product of Eigen matrices was not computed by matprec; a source "
          "file "
          "of this program uses Eigen without including matprec/eigen_hook.h first; give every "
          "file "
          "the compiler option -include matprec/eigen_hook.h");
    }
  }
}

}  // namespace matprec

#endif  // MATPREC_EIGEN_HOOK_H_
