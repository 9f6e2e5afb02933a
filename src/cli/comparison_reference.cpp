#include "src/cli/comparison_reference.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "matprec/policy.h"
#include "src/cli/number_text.h"
#include "src/cli/operand.h"
#include "src/cli/progress.h"

namespace matprec::cli {
namespace {

// A float64 sum of k products is off by at most 140 * 2^-53 of |A||B| (chunks of 128 and their
// tree), so below this condition it is 2^-34 or better: a thousandth of float32's unit. Entries
// beyond it, and all entries of float64 results, are computed again in twice the precision.
constexpr double kLargeCondition = 4096;

// Two-sum (Knuth) of a term into a sum of two parts.
void add_exactly(double term, double& sum, double& rest) {
  const double total = sum + term;
  const double part = total - sum;
  rest += (sum - (total - part)) + (term - part);
  sum = total;
}

// Dot2 (Ogita, Rump, Oishi): as if in twice the working precision, rounded once.
double compensated_dot(const double* a, const double* b, std::int64_t k) {
  double sum = 0, rest = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const double product = a[i] * b[i];
    rest += std::fma(a[i], b[i], -product);
    add_exactly(product, sum, rest);
  }
  return sum + rest;
}

// Both operands in float64 with the contracted dimension last and gapless: rows of A, columns of B.
struct Operands {
  Tensor rows, columns;
  std::int64_t m, n, k;
  std::vector<std::int64_t> row_batch,
      column_batch;  // which matrix of each a result's matrix comes from
};

// The position in an operand's batch of each position in the broadcast batch.
std::vector<std::int64_t> batch_map(const Dims& operand, const Dims& result, std::int64_t count) {
  const Dims strides = row_major_strides(operand);
  std::vector<std::int64_t> map;
  for (std::int64_t b = 0; b < count; ++b) {
    std::int64_t rest = b, position = 0;
    for (std::size_t d = result.size(); d-- > 0;) {
      const std::int64_t index = rest % result[d];
      rest /= result[d];
      const std::size_t missing = result.size() - operand.size();
      if (d >= missing && operand[d - missing] != 1) position += index * strides[d - missing];
    }
    map.push_back(position);
  }
  return map;
}

Dims batch_of(const Dims& shape) {
  return shape.size() <= 2 ? Dims() : Dims(shape.begin(), shape.size() - 2);
}

Operands operands_of(const TensorView& lhs, const TensorView& rhs, const Dims& out_shape) {
  Operands result{
      .rows = convert(lhs, ElementType::kF64),
      .columns = convert(rhs.rank() < 2 ? rhs : last_two_exchanged(rhs), ElementType::kF64),
      .m = lhs.rank() < 2 ? 1 : lhs.shape()[lhs.rank() - 2],
      .n = rhs.rank() < 2 ? 1 : rhs.shape().back(),
      .k = lhs.shape().back(),
      .row_batch = {},
      .column_batch = {}};
  const std::size_t kept = (lhs.rank() < 2 ? 0u : 1u) + (rhs.rank() < 2 ? 0u : 1u);
  const Dims batch(out_shape.begin(), out_shape.size() - kept);
  const std::int64_t count = element_count(batch);
  result.row_batch = batch_map(batch_of(lhs.shape()), batch, count);
  result.column_batch = batch_map(batch_of(rhs.shape()), batch, count);
  return result;
}

Tensor absolute(Tensor x) {
  for (std::int64_t i = 0; i < x.size(); ++i) x.data<double>()[i] = std::fabs(x.data<double>()[i]);
  return x;
}

ComparisonReference product_reference(const ComparisonProblem& problem) {
  Progress progress("reference");
  progress.report(0, 2, "products in float64");
  const DotOptions plain{.precision = DotAlgorithm::kF64_F64_F64,
                         .preferred_element_type = ElementType::kF64};
  const Tensor lhs = convert(problem.lhs(), ElementType::kF64);
  const Tensor rhs = convert(problem.rhs(), ElementType::kF64);
  Tensor product = matmul(lhs, rhs, plain);
  progress.report(1, 2, "products in float64");
  ComparisonReference result{std::move(product), matmul(absolute(lhs), absolute(rhs), plain), ""};
  const Operands operands = operands_of(problem.lhs(), problem.rhs(), result.value.shape());
  double* value = result.value.data<double>();
  const double* magnitude = result.magnitude.data<double>();
  std::int64_t again = 0, entry = 0;
  for (std::size_t b = 0; b < operands.row_batch.size(); ++b) {
    const double* rows =
        operands.rows.data<double>() + operands.row_batch[b] * operands.m * operands.k;
    const double* columns =
        operands.columns.data<double>() + operands.column_batch[b] * operands.n * operands.k;
    for (std::int64_t i = 0; i < operands.m; ++i) {
      progress.report(entry, result.value.size(), "entries looked through");
      for (std::int64_t j = 0; j < operands.n; ++j, ++entry) {
        const bool needed = problem.out_type() == ElementType::kF64 ||
                            magnitude[entry] > kLargeCondition * std::fabs(value[entry]);
        if (!needed || !std::isfinite(magnitude[entry])) continue;
        const double better =
            compensated_dot(rows + i * operands.k, columns + j * operands.k, operands.k);
        if (!std::isfinite(better)) continue;  // a product near the end of float64's range
        value[entry] = better;
        ++again;
      }
    }
  }
  result.name = "float64 (F64_F64_F64)";
  if (again == result.value.size() && again > 0) {
    result.name = "float64, compensated (two-product, two-sum)";
  } else if (again > 0) {
    result.name += ", compensated (two-product, two-sum) in " + counted(again, "entry", "entries") +
                   " of condition above " + std::to_string(static_cast<int>(kLargeCondition));
  }
  return result;
}

// Differences first, then squares: no term cancels another.
ComparisonReference distance_reference(const ComparisonProblem& problem) {
  const Tensor x = convert(problem.lhs(), ElementType::kF64);
  const std::int64_t n = x.shape()[0], k = x.shape()[1];
  ComparisonReference result{Tensor(ElementType::kF64, {n, n}), Tensor(ElementType::kF64, {n, n}),
                             "float64, compensated sum of (x-y)^2"};
  const double* data = x.data<double>();
  Progress progress("reference");
  for (std::int64_t i = 0; i < n; ++i) {
    progress.report(i, n, "rows");
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = 0, rest = 0, magnitude = 0;
      for (std::int64_t c = 0; c < k; ++c) {
        const double p = data[i * k + c], q = data[j * k + c];
        add_exactly((p - q) * (p - q), sum, rest);
        const double both = std::fabs(p) + std::fabs(q);
        magnitude += both * both;  // |x|^2 + |y|^2 + 2 |x|.|y|
      }
      const double total = std::isfinite(sum) ? sum + rest : sum;
      for (const std::int64_t entry : {i * n + j, j * n + i}) {
        result.value.data<double>()[entry] = total;
        result.magnitude.data<double>()[entry] = magnitude;
      }
    }
  }
  return result;
}

}  // namespace

ComparisonReference reference_of(const ComparisonProblem& problem) {
  return problem.kind() == ProblemKind::kDistance ? distance_reference(problem)
                                                  : product_reference(problem);
}

}  // namespace matprec::cli
