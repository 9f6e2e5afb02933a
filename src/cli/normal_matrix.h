// Matrices of normal random numbers, the same bits on every machine.
#ifndef MATPREC_SRC_CLI_NORMAL_MATRIX_H_
#define MATPREC_SRC_CLI_NORMAL_MATRIX_H_

#include <cstdint>

#include "matprec/tensor.h"

namespace matprec::cli {

// float32, mean 0, variance 1. SplitMix64 (Steele, Lea and Flood 2014) gives uniform numbers;
// Karney's algorithm N ("Sampling exactly from the normal distribution", 2016) makes normal ones of
// them by comparisons and divisions alone, because logarithms and cosines differ between C
// libraries.
Tensor normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_NORMAL_MATRIX_H_
