#include "src/gemm/pack.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "src/gemm/sum_type.h"
#include "src/gemm/typed_kernels.h"

namespace matprec::gemm {
namespace {

using kernels::kChunkSteps;
using kernels::Forms;
using kernels::KernelTable;

// Whether count offsets are `step` apart.
bool evenly_spaced(const std::int64_t* offset, std::int64_t count, std::int64_t step) {
  for (std::int64_t i = 1; i < count; ++i) {
    if (offset[i] - offset[i - 1] != step) return false;
  }
  return true;
}

// Copies rows x columns elements of width bytes: element (i, j) from base + row[i] + column[j] (byte
// offsets) to out + (i * pitch + j) elements. Square blocks keep both sides in the first cache lines when
// the source runs along rows instead of columns.
template <class Bits>
void gather(const KernelTable& kernels, const char* base, const std::int64_t* row, std::int64_t rows,
            const std::int64_t* column, std::int64_t columns, std::int64_t pitch, Bits* out) {
  constexpr std::int64_t kItem = sizeof(Bits);
  if constexpr (kItem >= 4) {
    // Whole runs of lines one stride apart are turned over at once.
    std::int64_t done = 0;
    while (done < columns && evenly_spaced(row, rows, kItem)) {
      const std::int64_t stride = columns > done + 1 ? column[done + 1] - column[done] : 0;
      std::int64_t count = 1;
      while (done + count < columns && column[done + count] - column[done + count - 1] == stride) ++count;
      if (stride % kItem != 0 || (count < 4 && done + count < columns)) break;
      kernels.transpose[kItem / 8](base + row[0] + column[done], stride / kItem, rows, count, out + done, pitch);
      done += count;
    }
    if (done == columns) return;
    column += done, columns -= done, out += done;
  }
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    const std::int64_t i1 = std::min(i0 + kBlock, rows);
    for (std::int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      const std::int64_t j1 = std::min(j0 + kBlock, columns);
      for (std::int64_t j = j0; j < j1; ++j) {
        const char* from = base + column[j];
        for (std::int64_t i = i0; i < i1; ++i) {
          std::memcpy(out + i * pitch + j, from + row[i], sizeof(Bits));
        }
      }
    }
  }
}

// The byte offsets of `count` elements of an axis.
void byte_offsets(const Axis& axis, std::int64_t first, std::int64_t count, std::int64_t item,
                  std::int64_t* out) {
  for (std::int64_t i = 0; i < count;) {
    std::int64_t stride = 0;
    const std::int64_t run = std::min(axis.run(first + i, &stride), count - i);
    const std::int64_t start = axis.offset(first + i) * item;
    for (std::int64_t j = 0; j < run; ++j) out[i + j] = start + j * stride * item;
    i += run;
  }
}

// A rows x columns piece of an operand as float32 or float64 rows that run along columns.
template <class T>
struct Piece {
  const T* data;
  std::int64_t pitch;
};

// Largest piece: a chunk of steps by the columns of the widest tile, or by the rows of the tallest.
constexpr std::int64_t kMaxPiece = 128;

using gemm::widen;  // beside the one below

void widen(const KernelTable&, ElementType type, const void* in, std::int64_t n,
           std::uint32_t* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    // The sign extended; then modulo 2^32.
    out[i] = type == ElementType::kU8
                 ? static_cast<const std::uint8_t*>(in)[i]
                 : static_cast<std::uint32_t>(static_cast<const std::int8_t*>(in)[i]);
  }
}

// float64 enters a one-part algorithm by one rounding, before it becomes a float.
void round_narrow(const KernelTable& kernels, PrecisionType width, double* run, std::int64_t n,
                  float* out) {
  kernels.round_f64(width, run, n, run);
  kernels.from_f64(ElementType::kF32, run, n, out);
}
template <class T>
void round_narrow(const KernelTable&, PrecisionType, double*, std::int64_t, T*) {}

// Scratch of load_piece: raw elements, then the same widened.
template <class T>
struct Scratch {
  static constexpr std::size_t kElements = static_cast<std::size_t>(kMaxPiece * kMaxPiece);
  explicit Scratch(Workspace& workspace)
      : raw(static_cast<char*>(workspace.get(Workspace::kGather, kElements * (8 + sizeof(T))))),
        wide(reinterpret_cast<T*>(raw + kElements * 8)) {}
  char* raw;
  T* wide;
};

// Elements (rows `row`, `column` byte offsets) as T: where they are, if they already lie so.
template <class T>
Piece<T> load_piece(const Operand& source, const KernelTable& kernels, const Forms& forms,
                    const std::int64_t* row, std::int64_t rows, const std::int64_t* column,
                    std::int64_t columns, bool contiguous, Scratch<T>& scratch) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  const bool rounds_double = source.type == ElementType::kF64 && std::is_same_v<T, float> &&
                             forms.fmas == 1 && forms.width != PrecisionType::kF32;
  if (!contiguous) {
    switch (item) {
      case 8:
        gather(kernels, source.data, row, rows, column, columns, columns,
               reinterpret_cast<std::uint64_t*>(scratch.raw));
        break;
      case 4:
        gather(kernels, source.data, row, rows, column, columns, columns,
               reinterpret_cast<std::uint32_t*>(scratch.raw));
        break;
      case 2:
        gather(kernels, source.data, row, rows, column, columns, columns,
               reinterpret_cast<std::uint16_t*>(scratch.raw));
        break;
      default:
        gather(kernels, source.data, row, rows, column, columns, columns,
               reinterpret_cast<std::uint8_t*>(scratch.raw));
    }
    if (source.type == type_of(T{})) return {reinterpret_cast<const T*>(scratch.raw), columns};
    if (rounds_double) {
      round_narrow(kernels, forms.width, reinterpret_cast<double*>(scratch.raw), rows * columns,
                   scratch.wide);
    } else {
      widen(kernels, source.type, scratch.raw, rows * columns, scratch.wide);
    }
    return {scratch.wide, columns};
  }
  const char* const start = source.data + row[0] + column[0];
  const std::int64_t stride = rows > 1 ? row[1] - row[0] : 0;
  if (source.type == type_of(T{}) && stride % item == 0 && evenly_spaced(row, rows, stride) &&
      reinterpret_cast<std::uintptr_t>(start) % sizeof(T) == 0) {
    return {reinterpret_cast<const T*>(start), stride / item};
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const char* from = source.data + row[i] + column[0];
    T* to = scratch.wide + i * columns;
    if (rounds_double) {
      auto* copy = reinterpret_cast<double*>(scratch.raw);
      std::memcpy(copy, from, static_cast<std::size_t>(columns * item));
      round_narrow(kernels, forms.width, copy, columns, to);
    } else if (source.type == type_of(T{})) {
      std::memcpy(to, from, static_cast<std::size_t>(columns * item));
    } else {
      widen(kernels, source.type, from, columns, to);
    }
  }
  return {scratch.wide, columns};
}

void form(const KernelTable& kernels, const Forms& forms, const float* in, std::int64_t pitch,
          std::int64_t rows, std::int64_t columns, float* out, std::int64_t out_stride,
          std::int64_t fma_stride) {
  kernels.form(forms, in, pitch, rows, columns, out, out_stride, fma_stride);
}
template <class T>  // float64 and integers enter as they are
void form(const KernelTable&, const Forms&, const T* in, std::int64_t pitch, std::int64_t rows,
          std::int64_t columns, T* out, std::int64_t out_stride, std::int64_t) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::memcpy(out + r * out_stride, in + r * pitch, static_cast<std::size_t>(columns) * sizeof(T));
  }
}

// Whether elements enter the product as they are.
template <class T>
bool is_plain(const Operand& source, const Forms& forms) {
  return forms.fmas == 1 && source.type == type_of(T{}) &&
         (!std::is_same_v<T, float> || forms.width == PrecisionType::kF32);
}

// Rows whose elements lie in a few long lines, as the windows of a convolution do. False, and nothing is done, if
// they do not.
template <class T>
bool copy_runs(const char* base, const std::int64_t* row, std::int64_t rows, const std::int64_t* column,
               std::int64_t columns, T* out, std::int64_t out_stride) {
  constexpr std::int64_t kItem = sizeof(T), kShortest = 8, kMostRuns = kMaxPiece / kShortest;
  std::int64_t begin[kMostRuns + 1] = {};
  std::int64_t runs = 0;
  for (std::int64_t j = 0; j < columns; ++runs) {
    if (runs == kMostRuns) return false;
    begin[runs] = j;
    for (++j; j < columns && column[j] - column[j - 1] == kItem;) ++j;
  }
  if (runs * kShortest > columns) return false;
  begin[runs] = columns;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t r = 0; r < runs; ++r) {
      std::memcpy(out + i * out_stride + begin[r], base + row[i] + column[begin[r]],
                  static_cast<std::size_t>((begin[r + 1] - begin[r]) * kItem));
    }
  }
  return true;
}

// Whether float32 has all values of a type and rounding them to the width changes none.
bool is_exact(ElementType type, PrecisionType width) {
  switch (type) {
    case ElementType::kBF16:
      return width == PrecisionType::kBF16 || width == PrecisionType::kTF32 || width == PrecisionType::kF32;
    case ElementType::kF16:
      return width == PrecisionType::kF16 || width == PrecisionType::kTF32 || width == PrecisionType::kF32;
    default:
      return false;
  }
}

// Panels of columns that lie in lines, of elements that enter by one rounding at most: a few whole lines are made
// float32 and rounded, then dealt out. False, and nothing is done, if they are not such.
bool pack_lines(const Operand& source, const KernelTable& kernels, const Forms& forms, std::int64_t first,
                std::int64_t panels, std::int64_t step, std::int64_t steps, Scratch<float>& scratch, float* out) {
  constexpr std::int64_t kLines = 4;  // as copy_panels takes them
  const bool exact = is_exact(source.type, forms.width);
  if (forms.fmas != 1 || !(exact || source.type == ElementType::kF32) || !source.inner->uniform() ||
      !source.outer->uniform() || source.outer->stride() != 1) {
    return false;
  }
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  if (reinterpret_cast<std::uintptr_t>(source.data) % static_cast<std::uintptr_t>(item) != 0) return false;
  const std::int64_t width = kernels.tile_columns_f32;
  const std::int64_t most = static_cast<std::int64_t>(Scratch<float>::kElements) / kLines / width;  // panels at a time
  for (std::int64_t p = 0; p < panels; p += most) {
    const std::int64_t columns = std::min(panels - p, most) * width;
    for (std::int64_t s = 0; s < steps; s += kLines) {
      const std::int64_t lines = std::min(steps - s, kLines);
      for (std::int64_t i = 0; i < lines; ++i) {
        const char* const from = source.data + (source.outer->offset(first + p * width) +
                                                source.inner->offset(step + s + i)) * item;
        float* const line = scratch.wide + i * columns;
        if (exact) {
          kernels.to_f32(source.type, from, columns, line);
        } else {
          kernels.round_f32(forms.width, reinterpret_cast<const float*>(from), columns, line);
        }
      }
      kernels.copy_panels[0](scratch.wide, columns, lines, columns / width, out + p * steps * width + s * width,
                             steps * width);
    }
  }
  return true;
}
template <class T>
bool pack_lines(const Operand&, const KernelTable&, const Forms&, std::int64_t, std::int64_t, std::int64_t,
                std::int64_t, Scratch<T>&, T*) {
  return false;
}

// Packs one piece; `row` and `column` are byte offsets and the source runs along `column` if
// `contiguous`. float32 that needs no rounding goes straight to its place.
template <class T>
void pack_piece(const Operand& source, const KernelTable& kernels, const Forms& forms,
                const std::int64_t* row, std::int64_t rows, const std::int64_t* column,
                std::int64_t columns, bool contiguous, Scratch<T>& scratch, T* out,
                std::int64_t out_stride, std::int64_t fma_stride) {
  const bool plain = is_plain<T>(source, forms);
  if (plain && contiguous) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::memcpy(out + i * out_stride, source.data + row[i] + column[0],
                  static_cast<std::size_t>(columns) * sizeof(T));
    }
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (contiguous && forms.fmas == 1 && is_exact(source.type, forms.width)) {
      for (std::int64_t i = 0; i < rows; ++i) {
        kernels.to_f32(source.type, source.data + row[i] + column[0], columns, out + i * out_stride);
      }
      return;
    }
  }
  if (plain && copy_runs<T>(source.data, row, rows, column, columns, out, out_stride)) return;
  if (plain) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    gather(kernels, source.data, row, rows, column, columns, out_stride, reinterpret_cast<Bits*>(out));
    return;
  }
  const Piece<T> piece = load_piece<T>(source, kernels, forms, row, rows, column, columns,
                                       contiguous, scratch);
  form(kernels, forms, piece.data, piece.pitch, rows, columns, out, out_stride, fma_stride);
}

}  // namespace

Forms forms_of(DotAlgorithm algorithm, bool negate_second) {
  const AlgorithmInfo& row = info(algorithm);
  // x9 is float32 itself: the nine products of the parts sum to a * b. 8-bit floats are not rounded.
  const bool whole = (row.fmas == 1 && row.parts > 1) || !rounds_operands(algorithm);
  return {whole ? PrecisionType::kF32 : row.operand, row.fmas, negate_second};
}

template <class T>
void pack_rows(const Operand& source, const KernelTable& kernels, const Forms& forms,
               std::int64_t first, std::int64_t rows, std::int64_t height, std::int64_t step,
               std::int64_t steps, Workspace& workspace, T* out) {
  Scratch<T> scratch(workspace);
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  std::int64_t row[kMaxPiece], column[kMaxPiece];
  for (std::int64_t r = 0; r < rows; r += height) {
    const std::int64_t present = std::min(height, rows - r);
    byte_offsets(*source.outer, first + r, present, item, row);
    for (std::int64_t s = 0; s < steps; s += kChunkSteps) {
      const std::int64_t length = std::min(kChunkSteps, steps - s);
      std::int64_t stride = 0;
      const bool contiguous =
          source.inner->uniform_range(step + s, length, &stride) && stride == 1;
      // Of a contiguous run only the first offset is looked at.
      byte_offsets(*source.inner, step + s, contiguous ? 1 : length, item, column);
      pack_piece(source, kernels, forms, row, present, column, length, contiguous, scratch, out,
                 kChunkSteps, height * kChunkSteps);
      for (int f = 0; f < forms.fmas; ++f) {
        std::fill_n(out + (f * height + present) * kChunkSteps, (height - present) * kChunkSteps,
                    T{0});
      }
      out += forms.fmas * height * kChunkSteps;
    }
  }
}

template <class T>
void pack_columns(const Operand& source, const KernelTable& kernels, const Forms& forms,
                  std::int64_t first, std::int64_t columns, std::int64_t width, std::int64_t step,
                  std::int64_t steps, Workspace& workspace, T* out) {
  Scratch<T> scratch(workspace);
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  std::int64_t row[kMaxPiece], column[kMaxPiece];
  const std::int64_t pitch = forms.fmas * width;
  std::int64_t c = 0;
  if (is_plain<T>(source, forms) && source.inner->uniform() && source.outer->uniform() &&
      source.outer->stride() == 1) {
    const std::int64_t panels = columns / width;
    const std::int64_t start = source.outer->offset(first) + source.inner->offset(step);
    kernels.copy_panels[sizeof(T) / 8](source.data + start * item, source.inner->stride(), steps, panels,
                                       out, steps * width);
    out += panels * steps * width;
    c = panels * width;
  } else if (const std::int64_t panels = columns / width;
             pack_lines(source, kernels, forms, first, panels, step, steps, scratch, out)) {
    out += panels * steps * width;
    c = panels * width;
  }
  for (; c < columns; c += width) {
    const std::int64_t present = std::min(width, columns - c);
    std::int64_t stride = 0;
    const bool contiguous =
        source.outer->uniform_range(first + c, present, &stride) && stride == 1;
    byte_offsets(*source.outer, first + c, contiguous ? 1 : present, item, column);
    for (std::int64_t s = 0; s < steps; s += kChunkSteps) {
      const std::int64_t length = std::min(kChunkSteps, steps - s);
      byte_offsets(*source.inner, step + s, length, item, row);
      pack_piece(source, kernels, forms, row, length, column, present, contiguous, scratch, out,
                 pitch, width);
      if (present < width) {
        for (std::int64_t i = 0; i < length * forms.fmas; ++i) {
          std::fill_n(out + i * width + present, width - present, T{0});
        }
      }
      out += length * pitch;
    }
  }
}

#define MATPREC_PACK(T)                                                                          \
  template void pack_rows<T>(const Operand&, const KernelTable&, const Forms&, std::int64_t,      \
                             std::int64_t, std::int64_t, std::int64_t, std::int64_t, Workspace&,  \
                             T*);                                                                 \
  template void pack_columns<T>(const Operand&, const KernelTable&, const Forms&, std::int64_t,   \
                                std::int64_t, std::int64_t, std::int64_t, std::int64_t,           \
                                Workspace&, T*);
MATPREC_PACK(float)
MATPREC_PACK(double)
MATPREC_PACK(std::uint32_t)
#undef MATPREC_PACK

}  // namespace matprec::gemm
