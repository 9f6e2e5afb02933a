#include "src/gemm/reference.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/gemm/reference_element.h"
#include "src/gemm/reference_sum.h"
#include "src/gemm/rounding.h"
#include "src/runtime/float_environment.h"

namespace matprec::gemm {
namespace {

using Offsets = std::vector<std::int64_t>;

// The offsets of all index combinations of some dimensions, the last one fastest.
Offsets offsets_over(const Dims& sizes, const Dims& strides) {
  Offsets offsets = {0};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    Offsets longer;
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < sizes[d]; ++i) longer.push_back(offset + i * strides[d]);
    }
    offsets = std::move(longer);
  }
  return offsets;
}

Dims chosen(const Dims& values, const Dims& dimensions) {
  Dims result;
  for (const std::int64_t d : dimensions) result.push_back(values[static_cast<std::size_t>(d)]);
  return result;
}

Offsets offsets_over(const TensorView& view, const Dims& dimensions) {
  return offsets_over(chosen(view.shape(), dimensions), chosen(view.strides(), dimensions));
}

// The dimensions of a view that stand in neither list.
Dims kept_dimensions(std::size_t rank, const Dims& contracting, const Dims& batch) {
  std::vector<bool> used(rank, false);
  for (const std::int64_t d : contracting) used[static_cast<std::size_t>(d)] = true;
  for (const std::int64_t d : batch) used[static_cast<std::size_t>(d)] = true;
  Dims kept;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!used[d]) kept.push_back(static_cast<std::int64_t>(d));
  }
  return kept;
}

Dims range(std::size_t first, std::size_t count) {
  Dims result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<std::int64_t>(first + i));
  return result;
}

template <class T>
T rounded(double value);
template <>
float rounded<float>(double value) {
  return rounding::to_float32(value);
}
template <>
double rounded<double>(double value) {
  return value;
}

// A view that is walked along with the output: the output itself, C or the broadcast bias.
struct AlongOutput {
  Offsets batch, rows, columns;

  // `shape` is the output's; its dimensions are nb of batch, then nl of lhs, then nr of rhs.
  AlongOutput(const TensorView& view, const Dims& shape, std::size_t nb, std::size_t nl,
              std::size_t nr) {
    // Aligned at the last dimension; a missing dimension or one of size 1 repeats.
    Dims strides;
    const std::size_t missing = shape.size() - view.rank();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool present = d >= missing && view.shape()[d - missing] == shape[d];
      strides.push_back(present ? view.strides()[d - missing] : 0);
    }
    batch = offsets_over(chosen(shape, range(0, nb)), chosen(strides, range(0, nb)));
    rows = offsets_over(chosen(shape, range(nb, nl)), chosen(strides, range(nb, nl)));
    columns = offsets_over(chosen(shape, range(nb + nl, nr)), chosen(strides, range(nb + nl, nr)));
  }
  std::int64_t at(std::size_t b, std::size_t i, std::size_t j) const {
    return batch[b] + rows[i] + columns[j];
  }
};

// Everything about one call that does not depend on the accumulation type.
struct Product {
  const MutableTensorView& out;
  const TensorView& lhs;
  const TensorView& rhs;
  const AlgorithmInfo& row;
  TensorView c;
  std::optional<TensorView> bias;
  std::complex<double> alpha, beta;
  Offsets lhs_batch, lhs_rows, lhs_steps, rhs_batch, rhs_columns, rhs_steps;
  AlongOutput out_at, c_at;
  std::optional<AlongOutput> bias_at;
};

// Step 4 of MP-ACC-1 in Epilogue arithmetic (float or double), then the conversion to the output's
// type.
template <class Epilogue, class Sum>
void finish(const Product& p, std::size_t b, std::size_t i, std::size_t j, Sum sum) {
  const auto alpha = rounded<Epilogue>(p.alpha.real());
  const auto beta = rounded<Epilogue>(p.beta.real());
  Epilogue r = sum;  // exact
  if (alpha != 1) r = alpha * r;
  if (beta != 0) r = std::fma(beta, rounded<Epilogue>(read(p.c, p.c_at.at(b, i, j)).real()), r);
  if (p.bias) r = r + rounded<Epilogue>(read(*p.bias, p.bias_at->at(b, i, j)).real());
  write(p.out, p.out_at.at(b, i, j), r);
}

template <class T>
struct Complex {
  T re, im;
};

template <class T>
Complex<T> rounded_parts(std::complex<double> value) {
  return {rounded<T>(value.real()), rounded<T>(value.imag())};
}

template <class T>
Complex<T> scaled(Complex<T> factor, Complex<T> x) {
  return {std::fma(-factor.im, x.im, factor.re * x.re),
          std::fma(factor.re, x.im, factor.im * x.re)};
}

template <class T>
Complex<T> plus(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}

// The same step for complex results.
template <class Epilogue, class Sum>
void finish(const Product& p, std::size_t b, std::size_t i, std::size_t j, Complex<Sum> sum) {
  Complex<Epilogue> r = {sum.re, sum.im};
  if (p.alpha != 1.0) r = scaled(rounded_parts<Epilogue>(p.alpha), r);
  if (p.beta != 0.0) {
    const auto c = rounded_parts<Epilogue>(read(p.c, p.c_at.at(b, i, j)));
    r = plus(r, scaled(rounded_parts<Epilogue>(p.beta), c));
  }
  if (p.bias) r = plus(r, rounded_parts<Epilogue>(read(*p.bias, p.bias_at->at(b, i, j))));
  write(p.out, p.out_at.at(b, i, j), r.re, 0);
  write(p.out, p.out_at.at(b, i, j), r.im, 1);
}

// The factors of one row or column; of complex elements those of one part.
template <class T>
std::vector<T> factors_of(const TensorView& view, std::int64_t start, const Offsets& steps,
                          const AlgorithmInfo& row, Side side, bool imaginary = false) {
  std::vector<T> factors;
  factors.reserve(steps.size() * static_cast<std::size_t>(row.fmas));
  for (const std::int64_t step : steps) {
    const std::complex<double> x = read(view, start + step);
    append_factors(factors, imaginary ? x.imag() : x.real(), row, side);
  }
  return factors;
}

// Sum is the type that sums are computed in. Kept out of line, so that no arithmetic of it can be
// moved out of the floating-point environment that its caller sets.
template <class Sum, class Epilogue>
[[gnu::noinline]] void compute(const Product& p) {
  for (std::size_t b = 0; b < p.lhs_batch.size(); ++b) {
    std::vector<std::vector<Sum>> columns;
    for (const std::int64_t column : p.rhs_columns) {
      columns.push_back(
          factors_of<Sum>(p.rhs, p.rhs_batch[b] + column, p.rhs_steps, p.row, Side::kRhs));
    }
    for (std::size_t i = 0; i < p.lhs_rows.size(); ++i) {
      const std::vector<Sum> row =
          factors_of<Sum>(p.lhs, p.lhs_batch[b] + p.lhs_rows[i], p.lhs_steps, p.row, Side::kLhs);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        finish<Epilogue>(
            p, b, i, j,
            reference_sum<Sum>(std::span<const Sum>(row), std::span<const Sum>(columns[j]), p.row));
      }
    }
  }
}

// re = ar*br - ai*bi, im = ar*bi + ai*br: each product a sum of its own, then one add. A real operand
// leaves two of the products.
template <class Sum, class Epilogue>
[[gnu::noinline]] void compute_complex(const Product& p) {
  const bool lhs_complex = is_complex(p.lhs.type()), rhs_complex = is_complex(p.rhs.type());
  for (std::size_t b = 0; b < p.lhs_batch.size(); ++b) {
    for (std::size_t i = 0; i < p.lhs_rows.size(); ++i) {
      for (std::size_t j = 0; j < p.rhs_columns.size(); ++j) {
        const auto dot = [&](bool lhs_imaginary, bool rhs_imaginary) {
          const std::vector<Sum> row = factors_of<Sum>(p.lhs, p.lhs_batch[b] + p.lhs_rows[i],
                                                       p.lhs_steps, p.row, Side::kLhs, lhs_imaginary);
          const std::vector<Sum> column =
              factors_of<Sum>(p.rhs, p.rhs_batch[b] + p.rhs_columns[j], p.rhs_steps, p.row,
                              Side::kRhs, rhs_imaginary);
          return reference_sum<Sum>(std::span<const Sum>(row), std::span<const Sum>(column), p.row);
        };
        Complex<Sum> sum;
        if (lhs_complex && rhs_complex) {
          sum = {dot(false, false) - dot(true, true), dot(false, true) + dot(true, false)};
        } else {
          sum = {dot(false, false), lhs_complex ? dot(true, false) : dot(false, true)};
        }
        finish<Epilogue>(p, b, i, j, sum);
      }
    }
  }
}

// Exact modulo 2^32; a narrower output keeps the low bits.
void compute_integers(const Product& p) {
  for (std::size_t b = 0; b < p.lhs_batch.size(); ++b) {
    for (std::size_t i = 0; i < p.lhs_rows.size(); ++i) {
      for (std::size_t j = 0; j < p.rhs_columns.size(); ++j) {
        std::uint32_t sum = 0;
        for (std::size_t k = 0; k < p.lhs_steps.size(); ++k) {
          sum += read_integer(p.lhs, p.lhs_batch[b] + p.lhs_rows[i] + p.lhs_steps[k]) *
                 read_integer(p.rhs, p.rhs_batch[b] + p.rhs_columns[j] + p.rhs_steps[k]);
        }
        store_bits(p.out.data(), p.out_at.at(b, i, j), size_of(p.out.type()), sum);
      }
    }
  }
}

bool same_view(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.type() == b.type() && a.strides() == b.strides();
}

}  // namespace

void reference_dot_general_unchecked(const MutableTensorView& out, const TensorView& lhs,
                                     const TensorView& rhs, const DotDimensionNumbers& dims,
                                     DotAlgorithm algorithm, const DotEpilogue& epilogue) {
  const ScopedFloatEnvironment environment;
  const AlgorithmInfo& row = info(algorithm);
  const TensorView c = epilogue.c ? *epilogue.c : TensorView(out);

  const bool c_is_wide = epilogue.beta != 0.0 && real_type(c.type()) == ElementType::kF64;
  const bool wide_epilogue = row.accumulation == PrecisionType::kF64 ||
                             real_type(out.type()) == ElementType::kF64 || c_is_wide;
  const auto rounded_once = [&](std::complex<double> x) {
    if (wide_epilogue) return x;
    const auto narrow = rounded_parts<float>(x);
    return std::complex<double>(rounding::to_float64(narrow.re), rounding::to_float64(narrow.im));
  };
  const std::complex<double> alpha = rounded_once(epilogue.alpha);
  const std::complex<double> beta = rounded_once(epilogue.beta);
  if (alpha == 0.0 && beta == 1.0 && !epilogue.bias && same_view(c, out)) return;

  const Dims lhs_kept = kept_dimensions(lhs.rank(), dims.lhs_contracting, dims.lhs_batch);
  const Dims rhs_kept = kept_dimensions(rhs.rank(), dims.rhs_contracting, dims.rhs_batch);
  const std::size_t nb = dims.lhs_batch.size(), nl = lhs_kept.size(), nr = rhs_kept.size();
  Product product{
      .out = out,
      .lhs = lhs,
      .rhs = rhs,
      .row = row,
      .c = c,
      .bias = epilogue.bias,
      .alpha = alpha,
      .beta = beta,
      .lhs_batch = offsets_over(lhs, dims.lhs_batch),
      .lhs_rows = offsets_over(lhs, lhs_kept),
      .lhs_steps = offsets_over(lhs, dims.lhs_contracting),
      .rhs_batch = offsets_over(rhs, dims.rhs_batch),
      .rhs_columns = offsets_over(rhs, rhs_kept),
      .rhs_steps = offsets_over(rhs, dims.rhs_contracting),
      .out_at = AlongOutput(out, out.shape(), nb, nl, nr),
      .c_at = AlongOutput(c, out.shape(), nb, nl, nr),
      .bias_at = std::nullopt,
  };
  if (epilogue.bias) product.bias_at.emplace(*epilogue.bias, out.shape(), nb, nl, nr);
  if (alpha == 0.0) {  // the operands are not read: no steps
    product.lhs_steps.clear();
    product.rhs_steps.clear();
  }

  if (algorithm == DotAlgorithm::kInteger) return compute_integers(product);
  const bool complex = is_complex(out.type());
  if (row.accumulation == PrecisionType::kF64) {
    complex ? compute_complex<double, double>(product) : compute<double, double>(product);
  } else if (wide_epilogue) {
    complex ? compute_complex<float, double>(product) : compute<float, double>(product);
  } else {
    complex ? compute_complex<float, float>(product) : compute<float, float>(product);
  }
}

}  // namespace matprec::gemm
