// Moving matrix elements of 4 or 8 bytes into the order that tiles read them in.
#if defined(MATPREC_SRC_KERNELS_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_PACK_INL_H_
#undef MATPREC_SRC_KERNELS_PACK_INL_H_
#else
#define MATPREC_SRC_KERNELS_PACK_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// KernelTable::copy_panels. A few runs side by side, a page of each: the order in which memory is fetched ahead by
// itself, which panel after panel is not.
template <class T>
void CopyPanels(const void* in, std::int64_t in_stride, std::int64_t steps, std::int64_t panels, void* out,
                std::int64_t panel_size) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t width = 2 * lanes;
  constexpr std::int64_t kRuns = 4, kPage = 4096 / sizeof(T);
  const std::int64_t page_panels = HWY_MAX(kPage / width, 1);
  for (std::int64_t p0 = 0; p0 < panels; p0 += page_panels) {
    const std::int64_t p1 = HWY_MIN(p0 + page_panels, panels);
    for (std::int64_t s0 = 0; s0 < steps; s0 += kRuns) {
      const std::int64_t runs = HWY_MIN(steps - s0, kRuns);
      for (std::int64_t p = p0; p < p1; ++p) {
        const T* from = static_cast<const T*>(in) + s0 * in_stride + p * width;
        T* to = static_cast<T*>(out) + p * panel_size + s0 * width;
        for (std::int64_t s = 0; s < runs; ++s) {
          const auto x = hn::LoadU(d, from + s * in_stride), y = hn::LoadU(d, from + s * in_stride + lanes);
          hn::StoreU(x, d, to + s * width);
          hn::StoreU(y, d, to + s * width + lanes);
        }
      }
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// The 4 x 4 or 2 x 2 elements that fill as many vectors of 16 bytes.
HWY_INLINE void TransposeBlock(const std::uint32_t* in, std::int64_t in_stride, std::uint32_t* out,
                               std::int64_t out_stride) {
  const hn::Full128<std::uint32_t> d;
  const hn::Full128<std::uint64_t> dd;
  const auto a = hn::LoadU(d, in), b = hn::LoadU(d, in + in_stride), c = hn::LoadU(d, in + 2 * in_stride),
             e = hn::LoadU(d, in + 3 * in_stride);
  const auto ab = hn::BitCast(dd, hn::InterleaveLower(d, a, b));
  const auto AB = hn::BitCast(dd, hn::InterleaveUpper(d, a, b));
  const auto ce = hn::BitCast(dd, hn::InterleaveLower(d, c, e));
  const auto CE = hn::BitCast(dd, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, ab, ce)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, ab, ce)), d, out + out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, AB, CE)), d, out + 2 * out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, AB, CE)), d, out + 3 * out_stride);
}
HWY_INLINE void TransposeBlock(const std::uint64_t* in, std::int64_t in_stride, std::uint64_t* out,
                               std::int64_t out_stride) {
  const hn::Full128<std::uint64_t> d;
  const auto a = hn::LoadU(d, in), b = hn::LoadU(d, in + in_stride);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, out);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, out + out_stride);
}
#endif

// KernelTable::transpose. Whole lines of a few runs are read before the next runs are.
template <class T>
void Transpose(const void* in_data, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
               void* out_data, std::int64_t out_stride) {
  const T* const in = static_cast<const T*>(in_data);
  T* const out = static_cast<T*>(out_data);
  constexpr std::int64_t kBlock = HWY_TARGET == HWY_SCALAR ? 1 : 16 / sizeof(T);
  constexpr std::int64_t kLine = 64 / sizeof(T);
  const auto move = [=](std::int64_t r, std::int64_t c) HWY_ATTR {
    std::memcpy(out + r * out_stride + c, in + c * in_stride + r, sizeof(T));  // need not be aligned
  };
  for (std::int64_t r0 = 0; r0 < rows; r0 += kLine) {
    const std::int64_t r1 = HWY_MIN(r0 + kLine, rows);
    std::int64_t c = 0;
    for (; c + kBlock <= columns; c += kBlock) {
      std::int64_t r = r0;
#if HWY_TARGET != HWY_SCALAR
      for (; r + kBlock <= r1; r += kBlock) {
        TransposeBlock(in + c * in_stride + r, in_stride, out + r * out_stride + c, out_stride);
      }
#endif
      for (; r < r1; ++r) {
        for (std::int64_t i = 0; i < kBlock; ++i) move(r, c + i);
      }
    }
    for (; c < columns; ++c) {
      for (std::int64_t r = r0; r < r1; ++r) move(r, c);
    }
  }
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_PACK_INL_H_
