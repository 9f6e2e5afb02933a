#include "src/gemm/one_product.h"

namespace matprec::gemm {
namespace {

Target::Input input_at(const Source& source, std::int64_t batch, bool swapped) {
  const Operand operand = operand_at(source, batch);
  return {operand.data, operand.type, swapped ? operand.inner : operand.outer,
          swapped ? operand.outer : operand.inner};
}

}  // namespace

Operand operand_at(const Source& source, std::int64_t batch) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  const char* data = static_cast<const char*>(source.data);
  // An operand that is not read may be null.
  if (data != nullptr) data += source.batch.offset(batch) * item;
  return {data, source.type, &source.outer, &source.inner};
}

Target target_at(const GemmProblem& problem, std::int64_t batch, bool swapped) {
  Target target;
  const std::int64_t item = static_cast<std::int64_t>(size_of(problem.out_type));
  target.data = static_cast<char*>(problem.out) + problem.out_batch.offset(batch) * item;
  target.type = problem.out_type;
  target.rows = swapped ? &problem.out_columns : &problem.out_rows;
  target.columns = swapped ? &problem.out_rows : &problem.out_columns;
  target.alpha = problem.alpha.real();
  target.beta = problem.beta.real();
  if (target.beta != 0 && problem.c) target.c = input_at(*problem.c, batch, swapped);
  if (problem.bias) target.bias = input_at(*problem.bias, batch, swapped);
  return target;
}

}  // namespace matprec::gemm
