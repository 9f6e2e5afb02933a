/* C entries with BLAS signatures. Precision comes from scopes, process default and environment.
 *
 *   matprec_cblas_sgemm(101, 111, 111, m, n, k, 1.0f, a, lda, b, ldb, 0.0f, c, ldc);
 *
 * Bad arguments are reported as BLAS does: one line on stderr naming the parameter's number, and the call
 * returns with C untouched. They never throw; an invalid MATPREC_* variable ends the program with one line.
 */
#ifndef MATPREC_C_API_H_
#define MATPREC_C_API_H_

#include "matprec/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C (m x n) = alpha * op(A) * op(B) + beta * C, float32. Arguments as in CBLAS's cblas_sgemm with 32-bit
 * integers: layout 101 row-major, 102 column-major; transpose 111 none, 112 transposed, 113 conjugate
 * transposed (the same for real numbers). Leading dimensions count elements. */
MATPREC_API void matprec_cblas_sgemm(int layout, int trans_a, int trans_b, int m, int n, int k,
                                     float alpha, const float* a, int lda, const float* b, int ldb,
                                     float beta, float* c, int ldc);

/* The same in float64, as cblas_dgemm. */
MATPREC_API void matprec_cblas_dgemm(int layout, int trans_a, int trans_b, int m, int n, int k,
                                     double alpha, const double* a, int lda, const double* b, int ldb,
                                     double beta, double* c, int ldc);

/* bfloat16 operands, float32 result, as cblas_gemm_bf16bf16f32 of oneMKL. Elements of A and B are the upper
 * 16 bits of float32 numbers. */
MATPREC_API void matprec_cblas_gemm_bf16bf16f32(int layout, int trans_a, int trans_b, int m, int n, int k,
                                                float alpha, const unsigned short* a, int lda,
                                                const unsigned short* b, int ldb, float beta, float* c, int ldc);

/* batch_size products of one shape, as cblas_sgemm_batch_strided: product i has its A at a + i * stride_a, its
 * B at b + i * stride_b and its C at c + i * stride_c (elements). Results may not share elements. */
MATPREC_API void matprec_cblas_sgemm_batch_strided(int layout, int trans_a, int trans_b, int m, int n, int k,
                                                   float alpha, const float* a, int lda, int stride_a,
                                                   const float* b, int ldb, int stride_b, float beta,
                                                   float* c, int ldc, int stride_c, int batch_size);

/* Groups of products, as cblas_sgemm_batch: group g has group_size[g] products of one shape, scaling and
 * layout, whose matrices are the next group_size[g] entries of a, b and c. Results may not share elements. */
MATPREC_API void matprec_cblas_sgemm_batch(int layout, const int* trans_a, const int* trans_b, const int* m,
                                           const int* n, const int* k, const float* alpha,
                                           const float* const* a, const int* lda, const float* const* b,
                                           const int* ldb, const float* beta, float* const* c,
                                           const int* ldc, int group_count, const int* group_size);

/* The program's own threads for the tasks of products (executor.h). `run` calls task(data, 0) ...
 * task(data, tasks - 1), each once, in any order and on any threads, and returns when all have ended. A null
 * `run` takes it back. What belongs to `context` must live until products that have begun have ended. */
typedef void (*matprec_task)(void* data, int number);
typedef void (*matprec_executor)(void* context, int tasks, matprec_task task, void* data);
MATPREC_API void matprec_set_executor(matprec_executor run, void* context);

#ifdef __cplusplus
}
#endif

#endif /* MATPREC_C_API_H_ */
