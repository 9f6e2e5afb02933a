// Pairwise squared distances by the expansion |x|^2 + |y|^2 - 2 x.y, the way that loses digits.
#ifndef MATPREC_SRC_CLI_PAIRWISE_DISTANCE_H_
#define MATPREC_SRC_CLI_PAIRWISE_DISTANCE_H_

#include "matprec/element_type.h"
#include "matprec/precision.h"
#include "matprec/tensor.h"

namespace matprec::cli {

struct PairwiseDistance {
  Tensor gram;    // n x n: X X^T under the algorithm
  Tensor sqdist;  // n x n: (n_i + n_j) - 2 gram_ij, n_i the row's product with itself
};

// X is n x k. All is float32, the norms by F32_F32_F32, unless X is float64: then all is float64.
// Errors: X is no matrix; those of dot_general.
PairwiseDistance pairwise_distance(const TensorView& x, const PrecisionRequest& precision);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_PAIRWISE_DISTANCE_H_
