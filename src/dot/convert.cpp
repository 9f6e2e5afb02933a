#include "matprec/convert.h"

#include <algorithm>
#include <cstring>
#include <string>

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

gemm::Axis axis_of(const TensorView& view) {
  gemm::Axis axis;
  for (std::size_t i = 0; i < view.rank(); ++i) axis.add(view.shape()[i], view.strides()[i]);
  return axis;
}

void copy_strided(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
                  std::int64_t count, std::size_t item) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, item);
  }
}

// body(run of x as a contiguous array, first index, count) over all elements in row-major order.
template <class Body>
void for_each_run(const TensorView& x, const Body& body) {
  const gemm::Axis axis = axis_of(x);
  const std::int64_t item = static_cast<std::int64_t>(size_of(x.type()));
  const std::int64_t total = element_count(x.shape());
  alignas(64) char gathered[kRun * 8];
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

// A run of any type as another: through float64 where either side is, else through float32, so that
// every element is rounded once.
void convert_run(const KernelTable& kernels, ElementType from, const void* in, std::int64_t count,
                 ElementType to, void* out) {
  if (from == ElementType::kF64) {
    kernels.from_f64(to, static_cast<const double*>(in), count, out);
  } else if (to == ElementType::kF64) {
    kernels.to_f64(from, in, count, static_cast<double*>(out));
  } else {
    float wide[kRun];
    kernels.to_f32(from, in, count, wide);
    kernels.from_f32(to, wide, count, out);
  }
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

void convert_checked(const MutableTensorView& out, const TensorView& x) {
  const KernelTable& kernels = kernels::current();
  const ScopedFloatEnvironment environment;
  const gemm::Axis axis = axis_of(out);
  alignas(64) char converted[kRun * 8];
  for_each_run(x, [&](const char* run, std::int64_t first, std::int64_t count) {
    convert_run(kernels, x.type(), run, count, out.type(), converted);
    write_run(out, axis, first, count, converted);
  });
}

}  // namespace

Tensor convert(const TensorView& x, ElementType to) {
  contraction::check_view("convert", "x", x);
  contraction::check_address("convert", "x", x);
  check_enumerator("convert", to);
  Tensor result = Tensor::uninitialized(to, x.shape());
  convert_checked(result, x);
  return result;
}

void convert_into(const MutableTensorView& out, const TensorView& x) {
  contraction::check_view("convert", "x", x);
  contraction::check_address("convert", "x", x);
  contraction::check_view("convert", "out", out);
  contraction::check_address("convert", "out", out);
  if (out.shape() != x.shape()) {
    throw Error("convert: out has shape " + to_string(out.shape()) + ", but x has " +
                to_string(x.shape()) + "; they must be equal");
  }
  if (contraction::overlaps_itself(out) == contraction::Overlap::kYes) {
    throw Error("convert: out of shape " + to_string(out.shape()) + " with strides " +
                to_string(out.strides()) + " names one element more than once; give each its own");
  }
  const bool in_place = out.data() == x.data() && out.type() == x.type() &&
                        out.strides() == x.strides();
  if (!in_place && contraction::share_memory(out, x) == contraction::Overlap::kYes) {
    throw Error("convert: out shares memory with x; write to memory of its own, or to x itself");
  }
  convert_checked(out, x);
}

Tensor round_to(const TensorView& x, PrecisionType precision) {
  contraction::check_view("round_to", "x", x);
  contraction::check_address("round_to", "x", x);
  check_enumerator("round_to", precision);
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
  if (parts < 1 || parts > 3) {
    throw Error("split: parts is " + std::to_string(parts) + ", but must be 1, 2 or 3");
  }
  if (precision == PrecisionType::kF32 || precision == PrecisionType::kF64) {
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
