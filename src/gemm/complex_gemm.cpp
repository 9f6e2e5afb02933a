#include "src/gemm/complex_gemm.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "src/gemm/sum_type.h"
#include "src/gemm/typed_kernels.h"
#include "src/kernels/kernel_table.h"
#include "src/runtime/float_environment.h"

namespace matprec::gemm {
namespace {

using kernels::KernelTable;

// Outputs of one block; four arrays of float64 sums of them are 2 MiB.
constexpr std::int64_t kBlock = std::int64_t{1} << 16;
constexpr std::int64_t kBlockRows = 256;
// Outputs finished at a time.
constexpr std::int64_t kRun = 256;

enum Part { kReal, kImaginary };

// The real or the imaginary parts of complex elements; real elements as they are.
Source part_of(const Source& source, Part part) {
  if (!is_complex(source.type)) return source;
  Source result = source;
  result.type = real_type(source.type);
  if (source.data != nullptr && part == kImaginary) {
    result.data = static_cast<const char*>(source.data) + size_of(result.type);
  }
  result.batch = source.batch.scaled(2);
  result.outer = source.outer.scaled(2);
  result.inner = source.inner.scaled(2);
  return result;
}

struct Block {
  std::int64_t batch, batches, row, rows, column, columns;
  std::int64_t size() const { return batches * rows * columns; }
};

Axis contiguous(std::int64_t size, std::int64_t stride) {
  Axis axis;
  axis.add(size, stride);
  return axis;
}

// The sums of one real product of a block, row-major.
template <class S>
void sums_of(const GemmProblem& problem, const GemmPlan& plan, const Block& block, Part lhs,
             Part rhs, S* out) {
  GemmProblem real;
  real.algorithm = problem.algorithm;
  real.batch = block.batches;
  real.m = block.rows;
  real.n = block.columns;
  real.k = problem.k;
  real.lhs = part_of(problem.lhs, lhs);
  real.lhs.batch = real.lhs.batch.slice(block.batch, block.batches);
  real.lhs.outer = real.lhs.outer.slice(block.row, block.rows);
  real.rhs = part_of(problem.rhs, rhs);
  real.rhs.batch = real.rhs.batch.slice(block.batch, block.batches);
  real.rhs.outer = real.rhs.outer.slice(block.column, block.columns);
  real.out = out;
  real.out_type = type_of(S{});
  real.out_batch = contiguous(block.batches, block.rows * block.columns);
  real.out_rows = contiguous(block.rows, block.columns);
  real.out_columns = contiguous(block.columns, 1);
  gemm(real, gemm::plan(real, *plan.kernels, plan.threads));
}

// A run of complex numbers in E.
template <class E>
struct Run {
  E re[kRun], im[kRun];
};

// run *= factor: re = fma(-factor_i, im, factor_r*re), im = fma(factor_r, im, factor_i*re).
template <class E>
void scale(const KernelTable& kernels, Run<E>& run, std::complex<double> factor, std::int64_t n) {
  const Run<E> old = run;
  const E real = static_cast<E>(factor.real());
  const E imaginary = static_cast<E>(factor.imag());
  epilogue(kernels, {run.re, n, true, real, old.im, -imaginary, nullptr});
  std::copy_n(old.re, n, run.im);
  epilogue(kernels, {run.im, n, true, imaginary, old.im, real, nullptr});
}

template <class E>
void add(const KernelTable& kernels, Run<E>& run, const Run<E>& other, std::int64_t n) {
  epilogue(kernels, {run.re, n, false, E{1}, nullptr, E{0}, other.re});
  epilogue(kernels, {run.im, n, false, E{1}, nullptr, E{0}, other.im});
}

template <class E>
void load_part(const KernelTable& kernels, const Source& real, std::int64_t batch,
               std::int64_t row, std::int64_t column, std::int64_t n, E* out) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(real.type));
  const char* from = static_cast<const char*>(real.data) +
                     (real.batch.offset(batch) + real.outer.offset(row)) * item;
  alignas(64) char raw[kRun * 8];
  for (std::int64_t j = 0; j < n; ++j) {
    std::memcpy(raw + j * item, from + real.inner.offset(column + j) * item,
                static_cast<std::size_t>(item));
  }
  widen(kernels, real.type, raw, n, out);
}

// c or the bias; elements of a real type have the imaginary part +0.
struct Parts {
  explicit Parts(const Source& source) : re(part_of(source, kReal)) {
    if (is_complex(source.type)) im = part_of(source, kImaginary);
  }
  template <class E>
  void load(const KernelTable& kernels, std::int64_t batch, std::int64_t row, std::int64_t column,
            std::int64_t n, Run<E>& run) const {
    load_part(kernels, re, batch, row, column, n, run.re);
    if (im) {
      load_part(kernels, *im, batch, row, column, n, run.im);
    } else {
      std::fill_n(run.im, n, E{0});
    }
  }

  Source re;
  std::optional<Source> im;
};

template <class E>
void store(const KernelTable& kernels, const GemmProblem& problem, std::int64_t batch,
           std::int64_t row, std::int64_t column, std::int64_t n, const Run<E>& run) {
  const ElementType type = real_type(problem.out_type);
  const std::int64_t item = static_cast<std::int64_t>(size_of(type));
  char* to = static_cast<char*>(problem.out) +
             (problem.out_batch.offset(batch) + problem.out_rows.offset(row)) * 2 * item;
  alignas(64) char re[kRun * 8], im[kRun * 8];
  narrow(kernels, run.re, n, type, re);
  narrow(kernels, run.im, n, type, im);
  for (std::int64_t j = 0; j < n; ++j) {
    char* element = to + problem.out_columns.offset(column + j) * 2 * item;
    std::memcpy(element, re + j * item, static_cast<std::size_t>(item));
    std::memcpy(element + item, im + j * item, static_cast<std::size_t>(item));
  }
}

// The arrays of sums of one block; null where an operand is real.
template <class S>
struct Sums {
  const S* rr;
  const S* ii;  // both complex
  const S* ri;  // rhs complex
  const S* ir;  // lhs complex
};

// Sums S, epilogue in E.
template <class E, class S>
void finish(const GemmProblem& problem, const KernelTable& kernels, const Block& block,
            const Sums<S>& sums) {
  const ScopedFloatEnvironment environment;
  std::optional<Parts> c, bias;
  if (problem.beta != 0.0) c.emplace(*problem.c);
  if (problem.bias) bias.emplace(*problem.bias);
  Run<S> sum;
  Run<E> r, other;
  for (std::int64_t line = 0; line < block.batches * block.rows; ++line) {
    const std::int64_t batch = block.batch + line / block.rows;
    const std::int64_t row = block.row + line % block.rows;
    for (std::int64_t j0 = 0; j0 < block.columns; j0 += kRun) {
      const std::int64_t n = std::min(kRun, block.columns - j0);
      const std::int64_t first = line * block.columns + j0;
      const std::int64_t column = block.column + j0;
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t i = first + j;
        sum.re[j] = sums.ii != nullptr ? sums.rr[i] - sums.ii[i] : sums.rr[i];
        sum.im[j] = sums.ii != nullptr   ? sums.ri[i] + sums.ir[i]
                    : sums.ri != nullptr ? sums.ri[i]
                                         : sums.ir[i];
      }
      widen(kernels, type_of(S{}), sum.re, n, r.re);
      widen(kernels, type_of(S{}), sum.im, n, r.im);
      if (problem.alpha != 1.0) scale(kernels, r, problem.alpha, n);
      if (c) {
        c->load(kernels, batch, row, column, n, other);
        scale(kernels, other, problem.beta, n);
        add(kernels, r, other, n);
      }
      if (bias) {
        bias->load(kernels, batch, row, column, n, other);
        add(kernels, r, other, n);
      }
      // No step left: makes NaNs canonical.
      epilogue(kernels, {r.re, n, false, E{1}, nullptr, E{0}, nullptr});
      epilogue(kernels, {r.im, n, false, E{1}, nullptr, E{0}, nullptr});
      store(kernels, problem, batch, row, column, n, r);
    }
  }
}

bool is_double(ElementType type) { return real_type(type) == ElementType::kF64; }

template <class S>
void run_block(const GemmProblem& problem, const GemmPlan& plan, const Block& block, S* memory) {
  const bool lhs_complex = is_complex(problem.lhs.type);
  const bool rhs_complex = is_complex(problem.rhs.type);
  S* next = memory;
  const auto product = [&](Part lhs, Part rhs) {
    S* const out = next;
    next += block.size();
    sums_of(problem, plan, block, lhs, rhs, out);
    return out;
  };
  Sums<S> sums{product(kReal, kReal), nullptr, nullptr, nullptr};
  if (lhs_complex && rhs_complex) sums.ii = product(kImaginary, kImaginary);
  if (rhs_complex) sums.ri = product(kReal, kImaginary);
  if (lhs_complex) sums.ir = product(kImaginary, kReal);
  const bool wide = std::is_same_v<S, double> || is_double(problem.out_type) ||
                    (problem.beta != 0.0 && is_double(problem.c->type));
  if (wide) {
    finish<double>(problem, *plan.kernels, block, sums);
  } else {
    finish<S>(problem, *plan.kernels, block, sums);
  }
}

template <class S>
void run_blocks(const GemmProblem& problem, const GemmPlan& plan) {
  Block size{};
  size.rows = std::min(problem.m, kBlockRows);
  size.columns = std::min(problem.n, std::max(kBlock / size.rows, std::int64_t{1}));
  if (size.columns == problem.n) {
    size.rows = std::min(problem.m, std::max(kBlock / size.columns, std::int64_t{1}));
  }
  const bool whole = size.rows == problem.m && size.columns == problem.n;
  size.batches = whole ? std::clamp<std::int64_t>(kBlock / (size.rows * size.columns), 1, problem.batch) : 1;
  const std::int64_t products = real_products(problem);
  const auto memory = std::make_unique_for_overwrite<S[]>(
      static_cast<std::size_t>(products * size.batches * size.rows * size.columns));
  Block block;
  for (block.batch = 0; block.batch < problem.batch; block.batch += size.batches) {
    block.batches = std::min(size.batches, problem.batch - block.batch);
    for (block.row = 0; block.row < problem.m; block.row += size.rows) {
      block.rows = std::min(size.rows, problem.m - block.row);
      for (block.column = 0; block.column < problem.n; block.column += size.columns) {
        block.columns = std::min(size.columns, problem.n - block.column);
        run_block(problem, plan, block, memory.get());
      }
    }
  }
}

}  // namespace

int real_products(const GemmProblem& problem) {
  return (is_complex(problem.lhs.type) ? 2 : 1) * (is_complex(problem.rhs.type) ? 2 : 1);
}

void complex_gemm(const GemmProblem& problem, const GemmPlan& plan) {
  if (info(problem.algorithm).accumulation == PrecisionType::kF64) {
    run_blocks<double>(problem, plan);
  } else {
    run_blocks<float>(problem, plan);
  }
}

}  // namespace matprec::gemm
