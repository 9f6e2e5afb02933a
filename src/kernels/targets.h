// Which SIMD target products run on: detection, the cap of set_target() and MATPREC_TARGET.
//
// Includes no Highway; gemm and observe may ask it for names.
#ifndef MATPREC_SRC_KERNELS_TARGETS_H_
#define MATPREC_SRC_KERNELS_TARGETS_H_

#include <atomic>

#include "src/kernels/kernel_table.h"

namespace matprec::kernels {

// True if this machine can run the target of the table.
bool usable(const KernelTable& table);

namespace detail {
extern constinit std::atomic<const KernelTable*> cap;         // of set_target(); null: none
extern constinit std::atomic<const KernelTable*> by_default;  // MATPREC_TARGET or the best; null until asked for
const KernelTable& find_default();
}  // namespace detail

// The table that products run on now (matprec/runtime.h: current_target). Throws Error if MATPREC_TARGET
// names no target of this build.
inline const KernelTable& current() {
  if (const KernelTable* table = detail::cap.load(std::memory_order_acquire)) return *table;
  if (const KernelTable* table = detail::by_default.load(std::memory_order_acquire)) return *table;
  return detail::find_default();
}

}  // namespace matprec::kernels

#endif  // MATPREC_SRC_KERNELS_TARGETS_H_
