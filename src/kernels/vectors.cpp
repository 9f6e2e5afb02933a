// Products of a vector.
#include "src/kernels/highway_targets.h"

// clang-format off
#undef  HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/vectors.cpp"
#include "hwy/foreach_target.h"  // includes this file again for each target
#include "hwy/highway.h"
#include "src/kernels/vector-inl.h"
#include "src/kernels/tiles-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {

VectorKernels<float> VectorsOfF32() { return {&Lines<float>, &Dots<float>, &Dot<float>}; }

VectorKernels<double> VectorsOfF64() { return {&Lines<double>, &Dots<double>, &Dot<double>}; }

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
