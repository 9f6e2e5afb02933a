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

#ifdef __cplusplus
}
#endif

#endif /* MATPREC_C_API_H_ */
