// The matrices of one product, or of a batch of equal ones, and whether a result is right.
#ifndef MATPREC_BENCH_GEMM_OPERANDS_H_
#define MATPREC_BENCH_GEMM_OPERANDS_H_

#include "matprec/matprec.h"

namespace matprec::bench {

// C (m x n) = op(A) * op(B), `batch` times.
struct Sizes {
  int m, n, k;
  bool trans_a = false, trans_b = false;
  int batch = 1;
};

// Row-major, without gaps; a transposed operand is stored as its transpose, the products of a batch one
// behind the other. Operands are a fixed sequence in [-1, 1): every run measures the same numbers.
class Operands {
 public:
  explicit Operands(const Sizes& sizes, ElementType operand = ElementType::kF32,
                    ElementType result = ElementType::kF32);

  const Sizes& sizes() const { return sizes_; }
  ElementType operand() const { return a_.type(); }
  ElementType result() const { return c_.type(); }
  double bytes() const;  // of A, B and C, all products of the batch
  double flops() const;  // 2 m n k of each product, whatever an algorithm does for it

  // As CBLAS names them, for row-major matrices.
  int trans_a() const { return sizes_.trans_a ? 112 : 111; }
  int trans_b() const { return sizes_.trans_b ? 112 : 111; }
  int lda() const { return sizes_.trans_a ? sizes_.m : sizes_.k; }
  int ldb() const { return sizes_.trans_b ? sizes_.k : sizes_.n; }
  int ldc() const { return sizes_.n; }
  template <class T>
  const T* a() const {
    return a_.data<T>();
  }
  template <class T>
  const T* b() const {
    return b_.data<T>();
  }
  template <class T>
  T* c() {
    return c_.data<T>();
  }

  // op(A), op(B) and C of the first product as views.
  TensorView a_view() const;
  TensorView b_view() const;
  MutableTensorView c_view();

  // Fills C with NaNs, so that what nobody writes is wrong.
  void spoil();
  // Whether a sample of C, the last row, column and product in it, is what the scalar oracle says, bit for
  // bit.
  bool is_right(DotAlgorithm algorithm) const;

 private:
  Sizes sizes_;
  Tensor a_, b_, c_;
};

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_OPERANDS_H_
