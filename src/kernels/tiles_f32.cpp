// Tiles of float32 with one FMA an element.
#include "src/kernels/highway_targets.h"

// clang-format off
#undef  HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/tiles_f32.cpp"
#include "hwy/foreach_target.h"  // includes this file again for each target
#include "hwy/highway.h"
#include "src/kernels/micro-inl.h"
#include "src/kernels/tiles-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {

TileSet<float> TilesOfF32() { return Tiles<float, 1>(); }

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
