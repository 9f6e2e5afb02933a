// Products that would be over before a plan is made: one chunk of steps, all operands near, no workspace but
// for what lies across. The same tiles, and so the same bits, as gemm().
#ifndef MATPREC_SRC_GEMM_SMALL_GEMM_H_
#define MATPREC_SRC_GEMM_SMALL_GEMM_H_

#include <cstdint>
#include <optional>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"
#include "src/gemm/gemm_problem.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// C = A * B in T's own algorithm. Steps of A, columns of B and columns of C have stride 1; strides count
// elements.
template <class T>
struct PlainProduct {
  std::int64_t m, n, k;
  const T* a;
  std::int64_t a_row;
  const T* b;
  std::int64_t b_step;
  T* c;
  std::int64_t c_row;
};

// Fused multiply-adds that one thread does alone: a second one costs more than it brings. Waking it takes some
// 10 us, in which a core does about this many.
inline constexpr std::int64_t kSmallWork = 500'000;

// Whether a product of this size is small for one thread: B stays in the first-level cache, or nearly.
inline bool is_small_size(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t item) {
  constexpr std::int64_t kMaxRows = 128, kMaxColumnBytes = 64 * 1024;
  return m >= 1 && m <= kMaxRows && k >= 1 && k <= kernels::kChunkSteps && n >= 1 && n <= kMaxColumnBytes &&
         n * k * item <= kMaxColumnBytes;
}

// Whether small_gemm() takes a plain product of small size on these kernels.
template <class T>
bool is_small(const PlainProduct<T>& p, const kernels::KernelTable& kernels) {
  const std::int64_t lanes = (sizeof(T) == 8 ? kernels.tile_columns_f64 : kernels.tile_columns_f32) / 2;
  return is_small_size(p.m, p.n, p.k, sizeof(T)) && p.m * p.n * p.k <= kSmallWork &&
         (kernels.masked_memory || p.n % lanes == 0);
}

// C = alpha * A * B + beta * C. All three matrices are of one type; strides count elements. Nothing is set by
// default: that would take a good part of the time.
struct SmallProduct {
  DotAlgorithm algorithm;
  ElementType type;
  std::int64_t m, n, k;
  const void* a;
  std::int64_t a_row, a_step;
  const void* b;
  std::int64_t b_step, b_column;
  void* c;
  std::int64_t c_row, c_column;
  double alpha, beta;  // values of the type
};

// Products that differ in nothing but where their matrices lie.
struct SmallBatch {
  std::int64_t count = 1;
  std::int64_t a_next = 0, b_next = 0, c_next = 0;  // so far apart
  // Or not null: the addresses, and the product's own are not looked at. float32 alone.
  const float* const* a_each = nullptr;
  const float* const* b_each = nullptr;
  float* const* c_each = nullptr;
};

// Whether small_gemm() takes it, which it should if at most `threads` threads could share the work.
bool is_small(const SmallProduct& product, int threads);

// The problem as a small product, if it is one.
std::optional<SmallProduct> small_product(const GemmProblem& problem);

// All of these set and restore the floating-point environment on every thread that computes.
void small_gemm(const PlainProduct<float>& product, const kernels::KernelTable& kernels);
void small_gemm(const PlainProduct<double>& product, const kernels::KernelTable& kernels);
void small_gemm(const SmallProduct& product, const kernels::KernelTable& kernels);
void small_gemm(const SmallProduct& product, const SmallBatch& batch, const kernels::KernelTable& kernels,
                int threads);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_SMALL_GEMM_H_
