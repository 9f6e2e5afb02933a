// The functions of a kernel table that exist for float and for double, chosen by the argument's type.
#ifndef MATPREC_SRC_GEMM_TYPED_KERNELS_H_
#define MATPREC_SRC_GEMM_TYPED_KERNELS_H_

#include <cstdint>

#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// A run of real floats of any type as float or double.
inline void widen(const kernels::KernelTable& kernels, ElementType from, const void* in,
                  std::int64_t n, float* out) {
  kernels.to_f32(from, in, n, out);
}
inline void widen(const kernels::KernelTable& kernels, ElementType from, const void* in,
                  std::int64_t n, double* out) {
  kernels.to_f64(from, in, n, out);
}

// A run of float or double as any real float type.
inline void narrow(const kernels::KernelTable& kernels, const float* in, std::int64_t n,
                   ElementType to, void* out) {
  kernels.from_f32(to, in, n, out);
}
inline void narrow(const kernels::KernelTable& kernels, const double* in, std::int64_t n,
                   ElementType to, void* out) {
  kernels.from_f64(to, in, n, out);
}

inline void epilogue(const kernels::KernelTable& kernels, const kernels::EpilogueArgs<float>& args) {
  kernels.epilogue_f32(args);
}
inline void epilogue(const kernels::KernelTable& kernels,
                     const kernels::EpilogueArgs<double>& args) {
  kernels.epilogue_f64(args);
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_TYPED_KERNELS_H_
