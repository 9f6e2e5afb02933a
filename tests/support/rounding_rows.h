// The rows of the algorithm table that any float may enter: all but the one of 8-bit operands.
#ifndef MATPREC_TESTS_SUPPORT_ROUNDING_ROWS_H_
#define MATPREC_TESTS_SUPPORT_ROUNDING_ROWS_H_

#include <vector>

#include "matprec/dot_algorithm.h"

namespace matprec::testing {

inline const std::vector<AlgorithmInfo>& rounding_rows() {
  static const std::vector<AlgorithmInfo> rows = [] {
    std::vector<AlgorithmInfo> list;
    for (const AlgorithmInfo& row : kAlgorithms) {
      if (rounds_operands(row.algorithm)) list.push_back(row);
    }
    return list;
  }();
  return rows;
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_ROUNDING_ROWS_H_
