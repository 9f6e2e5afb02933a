#include "src/gemm/epilogue.h"

#include <cstring>
#include <type_traits>

#include "src/gemm/typed_kernels.h"

namespace matprec::gemm {
namespace {

using kernels::KernelTable;

// The widest tile: two vectors of 64 bytes of float32.
constexpr std::int64_t kMaxColumns = 32;

// The elements of one row of c or bias as E.
template <class E>
const E* load_row(const Target::Input& input, const KernelTable& kernels, std::int64_t row,
                  std::int64_t column, std::int64_t columns, E* out) {
  if (input.data == nullptr) return nullptr;
  const std::int64_t item = static_cast<std::int64_t>(size_of(input.type));
  const char* from = input.data + input.rows->offset(row) * item;
  alignas(64) char raw[kMaxColumns * 8];
  for (std::int64_t j = 0; j < columns; ++j) {
    std::memcpy(raw + j * item, from + input.columns->offset(column + j) * item,
                static_cast<std::size_t>(item));
  }
  widen(kernels, input.type, raw, columns, out);
  return out;
}

template <class E>
void finish_row(const Target& target, const KernelTable& kernels, E* r, std::int64_t row,
                std::int64_t column, std::int64_t columns) {
  if (!target.plain()) {
    E c[kMaxColumns], bias[kMaxColumns];
    kernels::EpilogueArgs<E> args{};
    args.r = r;
    args.n = columns;
    args.scale = target.alpha != 1;
    args.alpha = static_cast<E>(target.alpha);
    args.beta = static_cast<E>(target.beta);
    args.c = load_row(target.c, kernels, row, column, columns, c);
    args.bias = load_row(target.bias, kernels, row, column, columns, bias);
    epilogue(kernels, args);
  }
  const std::int64_t item = static_cast<std::int64_t>(size_of(target.type));
  char* to = target.data + target.rows->offset(row) * item;
  std::int64_t stride = 0;
  if (target.columns->uniform_range(column, columns, &stride) && stride == 1) {
    narrow(kernels, r, columns, target.type, to + target.columns->offset(column) * item);
    return;
  }
  alignas(64) char raw[kMaxColumns * 8];
  narrow(kernels, r, columns, target.type, raw);
  for (std::int64_t j = 0; j < columns; ++j) {
    std::memcpy(to + target.columns->offset(column + j) * item, raw + j * item,
                static_cast<std::size_t>(item));
  }
}

// Integers: no epilogue, and the low bits of the sum, whatever the type they go to.
void store_integers(const Target& target, const std::uint32_t* sums, std::int64_t row,
                    std::int64_t column, std::int64_t columns) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(target.type));
  char* to = target.data + target.rows->offset(row) * item;
  for (std::int64_t j = 0; j < columns; ++j) {
    // Supported machines are little endian: the low bytes come first.
    std::memcpy(to + target.columns->offset(column + j) * item, sums + j,
                static_cast<std::size_t>(item));
  }
}

}  // namespace

template <class T>
void finish_tile(const Target& target, const KernelTable& kernels, T* sums, std::int64_t pitch,
                 std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
  const bool in_double = target.type == ElementType::kF64 ||
                         (target.c.data != nullptr && target.c.type == ElementType::kF64);
  for (std::int64_t i = 0; i < rows; ++i) {
    T* r = sums + i * pitch;
    if constexpr (std::is_same_v<T, std::uint32_t>) {
      store_integers(target, r, row + i, column, columns);
    } else if (std::is_same_v<T, float> && in_double) {
      double wide[kMaxColumns];
      kernels.to_f64(ElementType::kF32, r, columns, wide);
      finish_row(target, kernels, wide, row + i, column, columns);
    } else {
      finish_row(target, kernels, r, row + i, column, columns);
    }
  }
}

#define MATPREC_FINISH_TILE(T)                                                                \
  template void finish_tile<T>(const Target&, const KernelTable&, T*, std::int64_t, std::int64_t, \
                               std::int64_t, std::int64_t, std::int64_t);
MATPREC_FINISH_TILE(float)
MATPREC_FINISH_TILE(double)
MATPREC_FINISH_TILE(std::uint32_t)
#undef MATPREC_FINISH_TILE

}  // namespace matprec::gemm
