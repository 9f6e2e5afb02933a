#include "src/dot/lowering.h"

#include "src/gemm/rounding.h"
#include "src/runtime/float_environment.h"

namespace matprec::contraction {
namespace {

gemm::Axis axis_of(const TensorView& view, const Dims& numbers) {
  gemm::Axis axis;
  for (std::int64_t number : numbers) {
    const std::size_t dim = static_cast<std::size_t>(number);
    axis.add(view.shape()[dim], view.strides()[dim]);
  }
  return axis;
}

}  // namespace

gemm::GemmProblem lower(const MutableTensorView& out, const TensorView& lhs, const TensorView& rhs,
                        const DotDimensionNumbers& numbers, const DotShape& shape,
                        DotAlgorithm algorithm, const DotEpilogue& epilogue) {
  const ScopedFloatEnvironment environment;  // alpha and beta may be subnormal
  const TensorView c = epilogue.c ? *epilogue.c : static_cast<TensorView>(out);
  const bool wide = info(algorithm).accumulation == PrecisionType::kF64 ||
                    real_type(out.type()) == ElementType::kF64 ||
                    (epilogue.beta != 0.0 && real_type(c.type()) == ElementType::kF64);
  // By integer operations: g++ 12 turns two neighbouring (double)(float)x into a copy, so that 1e-60 is
  // not 0.
  const auto rounded = [wide](std::complex<double> x) {
    if (wide) return x;
    return std::complex<double>(rounding::round_to(x.real(), PrecisionType::kF32),
                                rounding::round_to(x.imag(), PrecisionType::kF32));
  };

  gemm::GemmProblem problem;
  problem.algorithm = algorithm;
  problem.alpha = rounded(epilogue.alpha);
  problem.beta = rounded(epilogue.beta);
  problem.batch = shape.batch;
  problem.m = shape.m;
  problem.n = shape.n;
  problem.k = problem.alpha == 0.0 ? 0 : shape.k;
  problem.lhs = {lhs.data(), lhs.type(), axis_of(lhs, numbers.lhs_batch),
                 axis_of(lhs, shape.lhs_kept), axis_of(lhs, numbers.lhs_contracting)};
  problem.rhs = {rhs.data(), rhs.type(), axis_of(rhs, numbers.rhs_batch),
                 axis_of(rhs, shape.rhs_kept), axis_of(rhs, numbers.rhs_contracting)};

  const std::size_t batch = numbers.lhs_batch.size();
  const std::size_t rows = shape.lhs_kept.size();
  const std::size_t columns = shape.rhs_kept.size();
  problem.out = out.data();
  problem.out_type = out.type();
  problem.out_batch = gemm::axis_over(shape.out, out.strides(), 0, batch);
  problem.out_rows = gemm::axis_over(shape.out, out.strides(), batch, rows);
  problem.out_columns = gemm::axis_over(shape.out, out.strides(), batch + rows, columns);

  const auto source = [&](const TensorView& view, const Dims& strides) {
    return gemm::Source{view.data(), view.type(), gemm::axis_over(shape.out, strides, 0, batch),
                        gemm::axis_over(shape.out, strides, batch, rows),
                        gemm::axis_over(shape.out, strides, batch + rows, columns)};
  };
  if (problem.beta != 0.0) problem.c = source(c, c.strides());
  if (epilogue.bias) {
    problem.bias = source(*epilogue.bias,
                          broadcast_strides("bias", "bias", *epilogue.bias, shape.out));
  }
  return problem;
}

}  // namespace matprec::contraction
