#include "matprec/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "matprec/error.h"
#include "src/dot/dot_shape.h"
#include "src/dot/overlap.h"
#include "src/error_text.h"
#include "src/gemm/axis.h"
#include "src/kernels/targets.h"
#include "src/runtime/float_environment.h"

namespace matprec {
namespace {

using kernels::KernelTable;

// Elements worked on at a time: a few cache lines of scratch.
constexpr std::int64_t kRun = 512;

void copy_strided(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
                  std::int64_t count, std::size_t item) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, item);
  }
}

// body(run of x as a contiguous array, first index, count) over all elements in row-major order.
template <class Body>
void for_each_run(const TensorView& x, const Body& body) {
  const gemm::Axis axis = gemm::axis_over(x.shape(), x.strides());
  const std::int64_t item = static_cast<std::int64_t>(size_of(x.type()));
  const std::int64_t total = element_count(x.shape());
  alignas(64) char gathered[kRun * 16];
  for (std::int64_t first = 0; first < total;) {
    std::int64_t stride = 0;
    const std::int64_t count = std::min(axis.run(first, &stride), kRun);
    const char* from = static_cast<const char*>(x.data()) + axis.offset(first) * item;
    if (stride != 1) {
      copy_strided(from, stride * item, gathered, item, count, static_cast<std::size_t>(item));
      from = gathered;
    }
    body(from, first, count);
    first += count;
  }
}

// The largest finite magnitude of a real float type.
double largest_of(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return std::numeric_limits<double>::max();
    case ElementType::kBF16:
      return 0x1.FEp127;
    case ElementType::kF16:
      return 65504;
    case ElementType::kF8E4M3FN:
      return 448;
    case ElementType::kF8E4M3FNUZ:
      return 240;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return 57344;
    default:
      return static_cast<double>(std::numeric_limits<float>::max());
  }
}

// NaN stays.
template <class T>
void clamp(T* values, std::int64_t count, ElementType to) {
  const T largest = static_cast<T>(largest_of(to));
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] > largest) values[i] = largest;
    if (values[i] < -largest) values[i] = -largest;
  }
}

// A run of one real float type as another: through float64 where either side is, else through float32,
// so that every element is rounded once.
void convert_floats(const KernelTable& kernels, ElementType from, const void* in,
                    std::int64_t count, ElementType to, void* out, bool saturate) {
  if (from == ElementType::kF64 || to == ElementType::kF64) {
    double wide[2 * kRun];
    kernels.to_f64(from, in, count, wide);
    if (saturate) clamp(wide, count, to);
    kernels.from_f64(to, wide, count, out);
  } else {
    float wide[2 * kRun];
    kernels.to_f32(from, in, count, wide);
    if (saturate) clamp(wide, count, to);
    kernels.from_f32(to, wide, count, out);
  }
}

std::int64_t integer_at(ElementType type, const void* in, std::int64_t i) {
  switch (type) {
    case ElementType::kS8:
      return static_cast<const std::int8_t*>(in)[i];
    case ElementType::kU8:
      return static_cast<const std::uint8_t*>(in)[i];
    default: {
      std::int32_t value;
      std::memcpy(&value, static_cast<const char*>(in) + i * 4, sizeof value);
      return value;
    }
  }
}

struct IntegerRange {
  std::int64_t least, largest;
};
IntegerRange range_of(ElementType integer) {
  switch (integer) {
    case ElementType::kS8:
      return {-128, 127};
    case ElementType::kU8:
      return {0, 255};
    default:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  }
}

// Cut toward zero; beyond the range its nearest end, NaN 0.
std::int64_t integer_of(double x, IntegerRange range) {
  if (x != x) return 0;
  return static_cast<std::int64_t>(std::trunc(std::clamp(
      x, static_cast<double>(range.least), static_cast<double>(range.largest))));
}

void to_integers(const KernelTable& kernels, ElementType from, const void* in, std::int64_t count,
                 ElementType to, void* out, bool saturate) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(to));
  const IntegerRange range = range_of(to);
  double wide[kRun];
  if (!is_integer(from)) kernels.to_f64(from, in, count, wide);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t value = is_integer(from) ? integer_at(from, in, i) : integer_of(wide[i], range);
    if (saturate) value = std::clamp(value, range.least, range.largest);
    // Supported machines are little endian: the low bytes come first.
    std::memcpy(static_cast<char*>(out) + i * item, &value, static_cast<std::size_t>(item));
  }
}

void convert_real(const KernelTable& kernels, ElementType from, const void* in, std::int64_t count,
                  ElementType to, void* out, bool saturate) {
  if (is_integer(to)) return to_integers(kernels, from, in, count, to, out, saturate);
  if (!is_integer(from)) return convert_floats(kernels, from, in, count, to, out, saturate);
  double wide[kRun];  // every integer is exact in it
  for (std::int64_t i = 0; i < count; ++i) wide[i] = static_cast<double>(integer_at(from, in, i));
  convert_floats(kernels, ElementType::kF64, wide, count, to, out, saturate);
}

// A run of at most kRun elements of any type as another, but complex as real.
void convert_run(const KernelTable& kernels, ElementType from, const void* in, std::int64_t count,
                 ElementType to, void* out, bool saturate) {
  if (is_complex(from)) {
    return convert_floats(kernels, real_type(from), in, 2 * count, real_type(to), out, saturate);
  }
  if (!is_complex(to)) return convert_real(kernels, from, in, count, to, out, saturate);
  const std::size_t part = size_of(real_type(to));
  alignas(64) char real[kRun * 8];
  convert_real(kernels, from, in, count, real_type(to), real, saturate);
  std::memset(out, 0, static_cast<std::size_t>(2 * count) * part);
  copy_strided(real, static_cast<std::int64_t>(part), static_cast<char*>(out),
               static_cast<std::int64_t>(2 * part), count, part);
}

void check_types(ElementType from, ElementType to) {
  if (!is_complex(from) || is_complex(to)) return;
  throw Error("convert: " + std::string(to_string(from)) + " to " + std::string(to_string(to)) +
              " would drop the imaginary parts; convert to complex64 or complex128, or take a view of "
              "the real parts (strides twice as long)");
}

void write_run(const MutableTensorView& out, const gemm::Axis& axis, std::int64_t first,
               std::int64_t count, const char* values) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(out.type()));
  for (std::int64_t done = 0; done < count;) {
    std::int64_t stride = 0;
    const std::int64_t part = std::min(axis.run(first + done, &stride), count - done);
    copy_strided(values + done * item, item,
                 static_cast<char*>(out.data()) + axis.offset(first + done) * item, stride * item,
                 part, static_cast<std::size_t>(item));
    done += part;
  }
}

void convert_checked(const MutableTensorView& out, const TensorView& x, bool saturate) {
  const KernelTable& kernels = kernels::current();
  const ScopedFloatEnvironment environment;
  const gemm::Axis axis = gemm::axis_over(out.shape(), out.strides());
  alignas(64) char converted[kRun * 16];
  for_each_run(x, [&](const char* run, std::int64_t first, std::int64_t count) {
    convert_run(kernels, x.type(), run, count, out.type(), converted, saturate);
    write_run(out, axis, first, count, converted);
  });
}

void check_float(std::string_view op, ElementType type) {
  if (!is_integer(type) && !is_complex(type)) return;
  throw Error(std::string(op) + ": x has type " + std::string(to_string(type)) +
              "; expected a real float type (of a complex tensor, view its parts)");
}

Error no_rounding(std::string_view op, PrecisionType precision) {
  return Error(std::string(op) + ": nothing is rounded to " + std::string(to_string(precision)) +
               "; known: bfloat16, tf32, float16, float32, float64 (for 8-bit floats and integers: "
               "convert)");
}

}  // namespace

Tensor convert(const TensorView& x, ElementType to, const ConvertOptions& options) {
  contraction::check_view("convert", "x", x);
  contraction::check_address("convert", "x", x);
  check_enumerator("convert", to);
  check_types(x.type(), to);
  Tensor result = Tensor::uninitialized(to, x.shape());
  convert_checked(result, x, options.saturate);
  return result;
}

void convert_into(const MutableTensorView& out, const TensorView& x,
                  const ConvertOptions& options) {
  contraction::check_view("convert", "x", x);
  contraction::check_address("convert", "x", x);
  contraction::check_view("convert", "out", out);
  contraction::check_address("convert", "out", out);
  if (out.shape() != x.shape()) {
    throw Error("convert: out has shape " + to_string(out.shape()) + ", but x has " +
                to_string(x.shape()) + "; they must be equal");
  }
  check_types(x.type(), out.type());
  if (contraction::overlaps_itself(out) == contraction::Overlap::kYes) {
    throw Error("convert: out of shape " + to_string(out.shape()) + " with strides " +
                to_string(out.strides()) + " names one element more than once; give each its own");
  }
  const bool in_place = out.data() == x.data() && out.type() == x.type() &&
                        out.strides() == x.strides();
  if (!in_place && contraction::share_memory(out, x) == contraction::Overlap::kYes) {
    throw Error("convert: out shares memory with x; write to memory of its own, or to x itself");
  }
  convert_checked(out, x, options.saturate);
}

Tensor round_to(const TensorView& x, PrecisionType precision) {
  contraction::check_view("round_to", "x", x);
  contraction::check_address("round_to", "x", x);
  check_enumerator("round_to", precision);
  check_float("round_to", x.type());
  if (precision > PrecisionType::kF64) throw no_rounding("round_to", precision);
  Tensor result = Tensor::uninitialized(x.type(), x.shape());
  const KernelTable& kernels = kernels::current();
  const ScopedFloatEnvironment environment;
  const std::size_t item = size_of(x.type());
  for_each_run(x, [&](const char* run, std::int64_t first, std::int64_t count) {
    char* to = static_cast<char*>(result.data()) + static_cast<std::size_t>(first) * item;
    if (x.type() == ElementType::kF64) {
      kernels.round_f64(precision, reinterpret_cast<const double*>(run), count,
                        reinterpret_cast<double*>(to));
    } else {
      float wide[kRun];
      kernels.to_f32(x.type(), run, count, wide);
      kernels.round_f32(precision, wide, count, wide);
      kernels.from_f32(x.type(), wide, count, to);
    }
  });
  return result;
}

std::vector<Tensor> split(const TensorView& x, PrecisionType precision, int parts) {
  contraction::check_view("split", "x", x);
  contraction::check_address("split", "x", x);
  check_enumerator("split", precision);
  check_float("split", x.type());
  if (parts < 1 || parts > 3) {
    throw Error("split: parts is " + std::to_string(parts) + ", but must be 1, 2 or 3");
  }
  if (precision >= PrecisionType::kF32) {
    throw Error("split: cannot split into parts of " + std::string(to_string(precision)) +
                "; known: bfloat16, tf32, float16");
  }
  std::vector<Tensor> result;
  for (int p = 0; p < parts; ++p) {
    result.push_back(Tensor::uninitialized(ElementType::kF32, x.shape()));
  }
  const KernelTable& kernels = kernels::current();
  const ScopedFloatEnvironment environment;
  for_each_run(x, [&](const char* run, std::int64_t first, std::int64_t count) {
    float wide[kRun];
    float* out[3] = {};
    kernels.to_f32(x.type(), run, count, wide);
    for (int p = 0; p < parts; ++p) {
      out[p] = static_cast<float*>(result[static_cast<std::size_t>(p)].data()) + first;
    }
    kernels.split(precision, parts, wide, count, out);
  });
  return result;
}

}  // namespace matprec
