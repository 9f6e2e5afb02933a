// The door between the instruction sets and the rest: compiled once per SIMD target, one table each.
//
// Headers-only use of Highway: neither its dispatch nor any of its compiled functions is called, since
// loading libhwy costs milliseconds in every process. The list of tables at the end is all that is needed.
#include "src/kernels/highway_targets.h"
#include "src/kernels/kernel_table.h"

// clang-format off
#undef  HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/kernels.cpp"
#include "hwy/foreach_target.h"  // includes this file again for each target
#include "hwy/highway.h"
#include "src/kernels/convert-inl.h"
#include "src/kernels/micro-inl.h"
#include "src/kernels/pack-inl.h"
#include "src/kernels/tiles-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {

const KernelTable* Table() {
  static const KernelTable table = [] {
    KernelTable t{};
    t.name = hwy::TargetName(HWY_TARGET);
    t.fma = HWY_NATIVE_FMA != 0;
    t.float_lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<float>()));
    t.tile_columns_f32 = 2 * t.float_lanes;
    t.vectors_f32 = VectorsOfF32();
    t.vectors_f64 = VectorsOfF64();
    t.masked_memory = kMaskedMemory;
    t.tile_columns_f64 = 2 * static_cast<int>(hn::Lanes(hn::ScalableTag<double>()));
    t.f32[0] = TilesOfF32();
    t.f32[1] = TilesOfF32Twice();
    t.f32[2] = TilesOfF32Thrice();
    t.f16_acc = LowTiles<float, RoundSumToF16>();
    t.bf16_acc = LowTiles<float, RoundSumToBF16>();
    t.f64 = TilesOfF64();
    t.u32 = LowTiles<std::uint32_t, KeepSum>();
    t.copy_panels[0] = &CopyPanels<std::uint32_t>;
    t.copy_panels[1] = &CopyPanels<std::uint64_t>;
    t.transpose[0] = &Transpose<std::uint32_t>;
    t.transpose[1] = &Transpose<std::uint64_t>;
    t.to_f32 = &ToF32;
    t.to_f64 = &ToF64;
    t.from_f32 = &FromF32;
    t.from_f64 = &FromF64;
    t.round_f32 = &RoundF32;
    t.round_f64 = &RoundF64;
    t.split = &Split;
    t.form = &Form;
    t.epilogue_f32 = &Epilogue<float>;
    t.epilogue_f64 = &Epilogue<double>;
    return t;
  }();
  return &table;
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace matprec::kernels {

std::span<const KernelTable* const> compiled_tables() {
  static const KernelTable* const tables[] = {
#if HWY_TARGETS & HWY_AVX3
      N_AVX3::Table(),
#endif
#if HWY_TARGETS & HWY_AVX2
      N_AVX2::Table(),
#endif
#if HWY_TARGETS & HWY_SSE4
      N_SSE4::Table(),
#endif
#if HWY_TARGETS & HWY_SSSE3
      N_SSSE3::Table(),
#endif
#if HWY_TARGETS & HWY_NEON
      N_NEON::Table(),
#endif
#if HWY_TARGETS & HWY_EMU128
      N_EMU128::Table(),
#endif
#if HWY_TARGETS & HWY_SCALAR
      N_SCALAR::Table(),
#endif
  };
  return tables;
}

}  // namespace matprec::kernels
#endif  // HWY_ONCE
