// Tiles of each kind and products of vectors, compiled in sources of their own: together they would take a compiler minutes.
#if defined(MATPREC_SRC_KERNELS_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_TILES_INL_H_
#undef MATPREC_SRC_KERNELS_TILES_INL_H_
#else
#define MATPREC_SRC_KERNELS_TILES_INL_H_
#endif

#include "hwy/highway.h"
#include "src/kernels/kernel_table.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {

TileSet<float> TilesOfF32();        // one FMA an element
TileSet<float> TilesOfF32Twice();   // two
TileSet<float> TilesOfF32Thrice();  // three
TileSet<double> TilesOfF64();
VectorKernels<float> VectorsOfF32();
VectorKernels<double> VectorsOfF64();

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_TILES_INL_H_
