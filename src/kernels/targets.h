// Which SIMD target products run on: detection, the cap of set_target() and MATPREC_TARGET.
//
// Includes no Highway; gemm and observe may ask it for names.
#ifndef MATPREC_SRC_KERNELS_TARGETS_H_
#define MATPREC_SRC_KERNELS_TARGETS_H_

#include "src/kernels/kernel_table.h"

namespace matprec::kernels {

// True if this machine can run the target of the table.
bool usable(const KernelTable& table);

// The table that products run on now (matprec/runtime.h: current_target). Throws Error if MATPREC_TARGET
// names no target of this build.
const KernelTable& current();

}  // namespace matprec::kernels

#endif  // MATPREC_SRC_KERNELS_TARGETS_H_
