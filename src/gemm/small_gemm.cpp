#include "src/gemm/small_gemm.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "src/gemm/ceil_div.h"
#include "src/gemm/pack.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/tile_set.h"
#include "src/gemm/typed_kernels.h"
#include "src/gemm/workspace.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/thread_pool.h"

namespace matprec::gemm {
namespace {

using kernels::KernelTable;
using kernels::kChunkSteps;

bool enters_as_it_is(DotAlgorithm algorithm, ElementType type) {
  if (algorithm == DotAlgorithm::kF32_F32_F32) return type == ElementType::kF32;
  return algorithm == DotAlgorithm::kF64_F64_F64 && type == ElementType::kF64;
}

// C's columns are the ones that lie in lines: then C^T = B^T A^T is computed.
bool is_turned(const SmallProduct& product) { return product.c_column != 1 && product.c_row == 1; }

SmallProduct turned(const SmallProduct& p) {
  return {p.algorithm, p.type, p.n,    p.m, p.k,        p.b,     p.b_column, p.b_step,
          p.a,         p.a_step, p.a_row, p.c, p.c_column, p.c_row, p.alpha,    p.beta};
}

template <class T>
std::int64_t tile_columns(const KernelTable& kernels) {
  return sizeof(T) == 8 ? kernels.tile_columns_f64 : kernels.tile_columns_f32;
}

template <class T>
inline void multiply(const kernels::TileSet<T>& tiles, std::int64_t width, const PlainProduct<T>& p) {
  kernels::TileArgs<T> args;  // all of it is set
  args.a_row = p.a_row;
  args.a_chunk = kChunkSteps;
  args.b_step = p.b_step;
  args.b_ahead = width;
  args.steps = p.k;
  args.older = nullptr;
  args.older_count = 0;
  args.out_stride = p.c_row;
  const bool narrow_alone = p.n < width;
  kernels::TileFunction<T> wide = nullptr;
  for (std::int64_t row = 0; row < p.m;) {
    const std::int64_t left = p.m - row;
    std::int64_t height = left;
    if (!narrow_alone || left > kernels::TileSet<T>::kMaxNarrow || tiles.narrow[left] == nullptr) {
      int tile = tile_for(tiles, left);
      if (tiles.rows[tile] > p.m) ++tile;  // there are not so many rows to compute some again
      height = tiles.rows[tile];
      wide = tiles.strided[tile];
    }
    const std::int64_t first = row - std::max<std::int64_t>(height - left, 0);
    args.a = p.a + first * p.a_row;
    for (std::int64_t column = 0; column < p.n; column += args.columns) {
      const std::int64_t columns_left = p.n - column;
      const bool narrow = columns_left < width;
      args.columns = narrow ? std::min(columns_left, width / 2) : width;
      args.b = p.b + column;
      args.out = p.c + first * p.c_row + column;
      (narrow ? tiles.narrow[height] : wide)(args);
    }
    row = first + height;
  }
}

// One way to compute products of one shape.
template <class T>
class SmallGemm {
 public:
  SmallGemm(const SmallProduct& product, const KernelTable& kernels)
      : p_(product),
        kernels_(kernels),
        tiles_(tile_set<T>(kernels, product.algorithm)),
        width_(tile_columns<T>(kernels)),
        plain_(p_.alpha == 1 && p_.beta == 0),
        // Whole vectors are read where absent lanes cannot be left out.
        b_pitch_(p_.b_column == 1 && (kernels.masked_memory || p_.n % (width_ / 2) == 0)
                     ? 0
                     : ceil_div(p_.n, width_) * width_),
        sums_pitch_(plain_ ? 0 : ceil_div(p_.n, width_) * width_) {}

  void run(const T* a, const T* b, T* c) {
    PlainProduct<T> p{p_.m, p_.n, p_.k, a, p_.a_row, b, p_.b_step, c, p_.c_row};
    if (p_.a_step != 1) {
      T* const packed = buffer(Workspace::kPackedA, p_.m * p_.k);
      kernels_.transpose[sizeof(T) / 8](a, p_.a_step, p_.m, p_.k, packed, p_.k);
      p.a = packed;
      p.a_row = p_.k;
    }
    if (b_pitch_ != 0) {
      p.b = packed_columns(b);
      p.b_step = b_pitch_;
    }
    if (!plain_) {
      p.c = buffer(Workspace::kPending, p_.m * sums_pitch_);
      p.c_row = sums_pitch_;
    }
    multiply(tiles_, width_, p);
    if (!plain_) finish(p.c, c);
  }

 private:
  const T* packed_columns(const T* b) {
    T* const packed = buffer(Workspace::kPackedB, p_.k * b_pitch_);
    if (p_.b_column != 1) {
      kernels_.transpose[sizeof(T) / 8](b, p_.b_column, p_.k, p_.n, packed, b_pitch_);
    }
    for (std::int64_t s = 0; s < p_.k; ++s) {
      T* const row = packed + s * b_pitch_;
      if (p_.b_column == 1) {
        std::memcpy(row, b + s * p_.b_step, static_cast<std::size_t>(p_.n) * sizeof(T));
      }
      std::fill(row + p_.n, row + b_pitch_, T{0});
    }
    return packed;
  }

  void finish(T* sums, T* c) {
    for (std::int64_t row = 0; row < p_.m; ++row) {
      kernels::EpilogueArgs<T> args{};
      args.r = sums + row * sums_pitch_;
      args.n = p_.n;
      args.scale = p_.alpha != 1;
      args.alpha = static_cast<T>(p_.alpha);
      args.beta = static_cast<T>(p_.beta);
      T* const to = c + row * p_.c_row;
      args.c = p_.beta != 0 ? to : nullptr;
      epilogue(kernels_, args);
      std::memcpy(to, args.r, static_cast<std::size_t>(p_.n) * sizeof(T));
    }
  }

  T* buffer(Workspace::Slot slot, std::int64_t elements) {
    return static_cast<T*>(Workspace::of_this_thread().get(slot, static_cast<std::size_t>(elements) * sizeof(T)));
  }

  const SmallProduct& p_;
  const KernelTable& kernels_;
  const kernels::TileSet<T>& tiles_;
  const std::int64_t width_;
  const bool plain_;
  const std::int64_t b_pitch_;  // of B in memory of our own; 0: it is read where it lies
  const std::int64_t sums_pitch_;
};

// Products [first, last) of a batch.
template <class T>
void run(const SmallProduct& product, const SmallBatch& batch, const KernelTable& kernels, std::int64_t first,
         std::int64_t last) {
  const ScopedFloatEnvironment environment;
  SmallGemm<T> gemm(product, kernels);
  if constexpr (std::is_same_v<T, float>) {
    if (batch.a_each != nullptr) {
      for (std::int64_t i = first; i < last; ++i) gemm.run(batch.a_each[i], batch.b_each[i], batch.c_each[i]);
      return;
    }
  }
  for (std::int64_t i = first; i < last; ++i) {
    gemm.run(static_cast<const T*>(product.a) + i * batch.a_next,
             static_cast<const T*>(product.b) + i * batch.b_next, static_cast<T*>(product.c) + i * batch.c_next);
  }
}

template <class T>
void run(const SmallProduct& product, const KernelTable& kernels) {
  const ScopedFloatEnvironment environment;
  SmallGemm<T>(product, kernels)
      .run(static_cast<const T*>(product.a), static_cast<const T*>(product.b), static_cast<T*>(product.c));
}

}  // namespace

bool is_small(const SmallProduct& p, int threads) {
  if (!enters_as_it_is(p.algorithm, p.type)) return false;
  const bool turned = is_turned(p);
  const std::int64_t m = turned ? p.n : p.m, n = turned ? p.m : p.n;
  const std::int64_t item = p.type == ElementType::kF64 ? 8 : 4;
  if (!is_small_size(m, n, p.k, item) || (threads > 1 && m * n * p.k > kSmallWork)) return false;
  const bool in_lines = (p.c_column == 1 || turned) && (p.a_step == 1 || p.a_row == 1) &&
                        (p.b_column == 1 || p.b_step == 1);
  const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data); };
  const std::uintptr_t addresses = address(p.a) | address(p.b) | address(p.c);
  return in_lines && (addresses & static_cast<std::uintptr_t>(item - 1)) == 0;
}

std::optional<SmallProduct> small_product(const GemmProblem& problem) {
  const auto matrix = [](const Source& source) {
    return source.packed == nullptr && source.data != nullptr && source.outer.uniform() && source.inner.uniform();
  };
  const bool fits = problem.batch == 1 && matrix(problem.lhs) && matrix(problem.rhs) &&
                    problem.out_rows.uniform() && problem.out_columns.uniform() && !problem.c && !problem.bias &&
                    problem.alpha == 1.0 && problem.lhs.type == problem.out_type &&
                    problem.rhs.type == problem.out_type;
  if (!fits) return std::nullopt;
  const std::int64_t item = static_cast<std::int64_t>(size_of(problem.out_type));
  const auto start = [item](const Source& source) {
    return static_cast<const char*>(source.data) + (source.outer.offset(0) + source.inner.offset(0)) * item;
  };
  char* const out = static_cast<char*>(problem.out) +
                    (problem.out_rows.offset(0) + problem.out_columns.offset(0)) * item;
  return SmallProduct{problem.algorithm,
                      problem.out_type,
                      problem.m,
                      problem.n,
                      problem.k,
                      start(problem.lhs),
                      problem.lhs.outer.stride(),
                      problem.lhs.inner.stride(),
                      start(problem.rhs),
                      problem.rhs.inner.stride(),
                      problem.rhs.outer.stride(),
                      out,
                      problem.out_rows.stride(),
                      problem.out_columns.stride(),
                      1,
                      0};
}

void small_gemm(const PlainProduct<float>& product, const KernelTable& kernels) {
  const ScopedFloatEnvironment environment;
  multiply(kernels.f32[0], kernels.tile_columns_f32, product);
}

void small_gemm(const PlainProduct<double>& product, const KernelTable& kernels) {
  const ScopedFloatEnvironment environment;
  multiply(kernels.f64, kernels.tile_columns_f64, product);
}

void small_gemm(const SmallProduct& product, const KernelTable& kernels) {
  if (is_turned(product)) return small_gemm(turned(product), kernels);
  if (product.type == ElementType::kF64) {
    run<double>(product, kernels);
  } else {
    run<float>(product, kernels);
  }
}

void small_gemm(const SmallProduct& product, const SmallBatch& batch, const KernelTable& kernels, int threads) {
  if (is_turned(product)) {
    SmallBatch other = batch;
    std::swap(other.a_next, other.b_next);
    std::swap(other.a_each, other.b_each);
    return small_gemm(turned(product), other, kernels, threads);
  }
  const auto run_range = [&](std::int64_t first, std::int64_t last) {
    if (product.type == ElementType::kF64) {
      run<double>(product, batch, kernels, first, last);
    } else {
      run<float>(product, batch, kernels, first, last);
    }
  };
  const std::int64_t work = product.m * product.n * product.k;
  if (threads == 1 || batch.count <= kSmallWork / work) return run_range(0, batch.count);
  // A few groups a thread, to even out.
  const int groups = static_cast<int>(std::min<std::int64_t>(batch.count, std::int64_t{threads} * 4));
  parallel_for(groups, threads, [&](int group) {
    run_range(batch.count * group / groups, batch.count * (group + 1) / groups);
  });
}

}  // namespace matprec::gemm
