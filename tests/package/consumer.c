/* The same product from C, through the entry with BLAS's signature. */
#include <matprec/c_api.h>
#include <stdio.h>

int main(void) {
  const float x = 1024.5f, y = 1.0f;
  float z = 0.0f;
  matprec_cblas_sgemm(101, 111, 111, 1, 1, 1, 1.0f, &x, 1, &y, 1, 0.0f, &z, 1);
  printf("%g\n", (double)z);
  return 0;
}
