// What every source of kernels agrees on before it includes Highway.
#ifndef MATPREC_SRC_KERNELS_HIGHWAY_TARGETS_H_
#define MATPREC_SRC_KERNELS_HIGHWAY_TARGETS_H_

#if defined(__FAST_MATH__)
#error "matprec's kernels define every bit of a result; -ffast-math would change them"
#endif

// All targets whatever -march says, but for those that compiled_tables() has no place for; no debug
// checks, whose failure path is compiled code of Highway's.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#define HWY_IS_DEBUG_BUILD 0

#endif  // MATPREC_SRC_KERNELS_HIGHWAY_TARGETS_H_
