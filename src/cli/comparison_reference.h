// The exact answer, as nearly as float64 can tell it, that `matprec compare` measures against.
#ifndef MATPREC_SRC_CLI_COMPARISON_REFERENCE_H_
#define MATPREC_SRC_CLI_COMPARISON_REFERENCE_H_

#include <string>

#include "matprec/tensor.h"
#include "src/cli/comparison_problem.h"

namespace matprec::cli {

struct ComparisonReference {
  Tensor value;      // float64, shape of the result
  Tensor magnitude;  // float64: |A||B|, the sum of the absolute values of all that was summed
  std::string name;  // how it was computed, for the reader
};

ComparisonReference reference_of(const ComparisonProblem& problem);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMPARISON_REFERENCE_H_
