// Runs of elements: conversions between element types, rounding in place of type, splits, and the forms in
// which operands enter an algorithm's FMAs.
//
// Each function walks whole vectors, then single lanes with the same code (CappedTag<.., 1>), so that no
// byte beyond a run is touched. float64 is rounded to a narrow type by rounding it to odd in float32
// first, which leaves the second rounding nothing to get wrong (24 >= 11 + 2 bits, subnormals included).
// Float element types alone come here: complex elements are pairs of them, integers have code of their own.
#if defined(MATPREC_SRC_KERNELS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_CONVERT_INL_H_
#undef MATPREC_SRC_KERNELS_CONVERT_INL_H_
#else
#define MATPREC_SRC_KERNELS_CONVERT_INL_H_
#endif

#include <bit>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "src/kernels/float8-inl.h"
#include "src/kernels/kernel_table.h"
#include "src/kernels/lanes-inl.h"
#include "src/kernels/round-inl.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V QuietNaN(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  using TU = hn::TFromD<decltype(du)>;
  const auto quiet_bit = hn::Set(du, TU{1} << (sizeof(TU) == 4 ? 22 : 51));
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(x));
  const auto bits = hn::BitCast(du, x);
  return hn::BitCast(d, hn::IfThenElse(is_nan, hn::Or(bits, quiet_bit), bits));
}

// A finite double toward the odd one of its two float neighbours (itself if it is a float).
HWY_INLINE float RoundToOdd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const bool differs = back < x || back > x;  // false for NaN
  if (differs && (bits & 1) == 0) bits += (back < x) == (x > 0) ? 1u : ~0u;
  return std::bit_cast<float>(bits);
}

template <class D>
HWY_INLINE hn::Vec<D> RoundLanes(D d, PrecisionType width, hn::Vec<D> x) {
  switch (width) {
    case PrecisionType::kBF16:
      return RoundMantissa<16>(d, x);
    case PrecisionType::kTF32:
      return RoundMantissa<13>(d, x);
    case PrecisionType::kF16:
      return RoundToF16(d, x);
    default:
      return QuietNaN(d, x);
  }
}

inline void RoundF32(PrecisionType width, const float* in, std::int64_t n, float* out) {
  ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(RoundLanes(d, width, hn::LoadU(d, in + i)), d, out + i);
  });
}

inline void RoundF64(PrecisionType width, const double* in, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (width == PrecisionType::kF64) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(in[i]);
      out[i] = std::bit_cast<double>(in[i] != in[i] ? bits | (std::uint64_t{1} << 51) : bits);
    } else if (width == PrecisionType::kF32) {
      out[i] = static_cast<double>(static_cast<float>(in[i]));
    } else {
      float odd = RoundToOdd(in[i]);
      RoundF32(width, &odd, 1, &odd);
      out[i] = static_cast<double>(odd);
    }
  }
}

template <int kFraction>
HWY_INLINE void Float8ToF32(const Float8Format& format, const std::uint8_t* in, std::int64_t n,
                            float* out) {
  ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const auto bits = hn::PromoteTo(du, hn::LoadU(d8, in + i));
    hn::StoreU(FloatFromFloat8Bits<kFraction>(d, format, bits), d, out + i);
  });
}

template <int kFraction>
HWY_INLINE void F32ToFloat8(const Float8Format& format, const float* in, std::int64_t n,
                            std::uint8_t* out) {
  ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const auto bits = Float8BitsFromFloat<kFraction>(du, format, hn::LoadU(d, in + i));
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di, bits)), d8, out + i);
  });
}

inline void ToF32(ElementType from, const void* in, std::int64_t n, float* out) {
  switch (from) {
    case ElementType::kF32:
      return RoundF32(PrecisionType::kF32, static_cast<const float*>(in), n, out);
    case ElementType::kF64:
      for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(static_cast<const double*>(in)[i]);
      return;
    case ElementType::kBF16:
    case ElementType::kF16: {
      const auto* bits = static_cast<const std::uint16_t*>(in);
      const bool is_bf16 = from == ElementType::kBF16;
      return ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
        const hn::RebindToUnsigned<decltype(d)> du;
        const hn::Rebind<std::uint16_t, decltype(d)> dh;
        const auto wide = hn::PromoteTo(du, hn::LoadU(dh, bits + i));
        hn::StoreU(is_bf16 ? FloatFromBF16Bits(d, wide) : FloatFromF16Bits(d, wide), d, out + i);
      });
    }
    default: {  // an 8-bit float: no other type comes here
      const auto* bits = static_cast<const std::uint8_t*>(in);
      const Float8Format format = Float8FormatOf(from);
      return HasThreeFractionBits(from) ? Float8ToF32<3>(format, bits, n, out)
                                        : Float8ToF32<2>(format, bits, n, out);
    }
  }
}

inline void FromF32(ElementType to, const float* in, std::int64_t n, void* out) {
  switch (to) {
    case ElementType::kF32:
      return RoundF32(PrecisionType::kF32, in, n, static_cast<float*>(out));
    case ElementType::kF64:
      for (std::int64_t i = 0; i < n; ++i) static_cast<double*>(out)[i] = static_cast<double>(in[i]);
      return;
    case ElementType::kBF16:
    case ElementType::kF16: {
      auto* bits = static_cast<std::uint16_t*>(out);
      const bool is_bf16 = to == ElementType::kBF16;
      return ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
        const hn::RebindToUnsigned<decltype(d)> du;
        const hn::RebindToSigned<decltype(d)> di;
        const hn::Rebind<std::uint16_t, decltype(d)> dh;
        const auto x = hn::LoadU(d, in + i);
        const auto narrow = is_bf16 ? BF16BitsFromFloat(du, x) : F16BitsFromFloat(du, x);
        hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, narrow)), dh, bits + i);
      });
    }
    default: {
      auto* bits = static_cast<std::uint8_t*>(out);
      const Float8Format format = Float8FormatOf(to);
      return HasThreeFractionBits(to) ? F32ToFloat8<3>(format, in, n, bits)
                                      : F32ToFloat8<2>(format, in, n, bits);
    }
  }
}

inline void ToF64(ElementType from, const void* in, std::int64_t n, double* out) {
  if (from == ElementType::kF64) {
    return RoundF64(PrecisionType::kF64, static_cast<const double*>(in), n, out);
  }
  if (from == ElementType::kF32) {
    return FromF32(ElementType::kF64, static_cast<const float*>(in), n, out);
  }
  const std::int64_t item = static_cast<std::int64_t>(size_of(from));
  float wide[64];
  for (std::int64_t i = 0; i < n; i += 64) {
    const std::int64_t part = HWY_MIN(n - i, std::int64_t{64});
    ToF32(from, static_cast<const char*>(in) + i * item, part, wide);
    FromF32(ElementType::kF64, wide, part, out + i);
  }
}

inline void FromF64(ElementType to, const double* in, std::int64_t n, void* out) {
  switch (to) {
    case ElementType::kF64:
      return RoundF64(PrecisionType::kF64, in, n, static_cast<double*>(out));
    case ElementType::kF32:
      return ToF32(ElementType::kF64, in, n, static_cast<float*>(out));
    default: {
      const std::int64_t item = static_cast<std::int64_t>(size_of(to));
      float odd[64];
      for (std::int64_t i = 0; i < n; i += 64) {
        const std::int64_t part = HWY_MIN(n - i, std::int64_t{64});
        for (std::int64_t j = 0; j < part; ++j) odd[j] = RoundToOdd(in[i + j]);
        FromF32(to, odd, part, static_cast<char*>(out) + i * item);
      }
    }
  }
}

// h, m, l and rest = x - h; Inf and NaN: h = x, the others 0 (docs/numerics.md, special values).
template <int kDropped, class D>
HWY_INLINE void SplitLanes(D d, hn::Vec<D> x, hn::Vec<D>& h, hn::Vec<D>& m, hn::Vec<D>& rest,
                           hn::Vec<D>& l) {
  const auto zero = hn::Zero(d);
  const auto max = hn::Set(d, hwy::HighestValue<float>());
  const auto finite = hn::Le(hn::Abs(x), max);  // false for NaN
  const auto nearest = RoundMantissa<kDropped>(d, x);
  const auto saturates = hn::And(finite, hn::Not(hn::Le(hn::Abs(nearest), max)));
  h = hn::IfThenElse(saturates, TruncateMantissa<kDropped>(d, x), nearest);
  rest = hn::IfThenElse(finite, hn::Sub(x, h), zero);
  m = hn::IfThenElse(saturates, TruncateMantissa<kDropped>(d, rest), RoundMantissa<kDropped>(d, rest));
  const auto low = hn::Sub(rest, m);
  l = hn::IfThenElse(saturates, TruncateMantissa<kDropped>(d, low), RoundMantissa<kDropped>(d, low));
}

template <int kDropped>
HWY_INLINE void SplitRun(int parts, const float* in, std::int64_t n, float* const* out) {
  ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    V h = hn::Zero(d), m = h, rest = h, l = h;
    SplitLanes<kDropped>(d, hn::LoadU(d, in + i), h, m, rest, l);
    hn::StoreU(h, d, out[0] + i);
    if (parts > 1) hn::StoreU(m, d, out[1] + i);
    if (parts > 2) hn::StoreU(l, d, out[2] + i);
  });
}

// Parts of float16 width: the same rule with float16's range, whose overflow is at 65520.
HWY_INLINE void SplitRunF16(int parts, const float* in, std::int64_t n, float* const* out) {
  ForEachVector<float>(n, [=](auto d, std::int64_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const V x = hn::LoadU(d, in + i);
    const V zero = hn::Zero(d);
    const V largest = hn::Set(d, 65504.0f);
    const auto finite = hn::Le(hn::Abs(x), hn::Set(d, hwy::HighestValue<float>()));
    const auto saturates = hn::And(finite, hn::Not(hn::Le(hn::Abs(RoundToF16(d, x)), largest)));
    V rest = x;
    for (int p = 0; p < parts; ++p) {
      const V part = hn::IfThenElse(saturates, TruncateToF16(d, rest), RoundToF16(d, rest));
      hn::StoreU(part, d, out[p] + i);
      rest = hn::IfThenElse(finite, hn::Sub(rest, part), zero);
    }
  });
}

inline void Split(PrecisionType width, int parts, const float* in, std::int64_t n,
                  float* const* out) {
  if (width == PrecisionType::kBF16) return SplitRun<16>(parts, in, n, out);
  if (width == PrecisionType::kTF32) return SplitRun<13>(parts, in, n, out);
  SplitRunF16(parts, in, n, out);
}

template <int kDropped, int kFmas>
HWY_INLINE void FormRows(bool negate_second, const float* in, std::int64_t in_stride,
                         std::int64_t rows, std::int64_t columns, float* out,
                         std::int64_t out_stride, std::int64_t fma_stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = in + r * in_stride;
    float* to = out + r * out_stride;
    ForEachVector<float>(columns, [=](auto d, std::int64_t i) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      const V x = hn::LoadU(d, row + i);
      V h = hn::Zero(d), m = h, rest = h, l = h;
      SplitLanes<kDropped>(d, x, h, m, rest, l);
      const V second = kFmas == 2 ? m : rest;
      hn::StoreU(kFmas == 2 ? hn::Add(h, m) : x, d, to + i);
      hn::StoreU(negate_second ? hn::Neg(second) : second, d, to + fma_stride + i);
      if (kFmas == 3) hn::StoreU(m, d, to + 2 * fma_stride + i);
    });
  }
}

inline void Form(const Forms& forms, const float* in, std::int64_t in_stride, std::int64_t rows,
                 std::int64_t columns, float* out, std::int64_t out_stride,
                 std::int64_t fma_stride) {
  if (forms.fmas == 1) {
    for (std::int64_t r = 0; r < rows; ++r) {
      if (forms.width == PrecisionType::kF32) {
        std::memcpy(out + r * out_stride, in + r * in_stride,
                    static_cast<std::size_t>(columns) * sizeof(float));
      } else {
        RoundF32(forms.width, in + r * in_stride, columns, out + r * out_stride);
      }
    }
    return;
  }
  const bool bf16 = forms.width == PrecisionType::kBF16;
  auto* const rows_of = forms.fmas == 2 ? (bf16 ? &FormRows<16, 2> : &FormRows<13, 2>)
                                        : (bf16 ? &FormRows<16, 3> : &FormRows<13, 3>);
  rows_of(forms.negate_second, in, in_stride, rows, columns, out, out_stride, fma_stride);
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_CONVERT_INL_H_
