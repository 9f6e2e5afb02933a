// A range of rows, columns or tasks, and its parts.
#ifndef MATPREC_SRC_GEMM_RANGE_H_
#define MATPREC_SRC_GEMM_RANGE_H_

#include <algorithm>
#include <cstdint>

#include "src/gemm/ceil_div.h"

namespace matprec::gemm {

struct Range {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

// Part `index` of `parts` of [0, size), cut at multiples of `unit`.
inline Range part_of(std::int64_t size, std::int64_t unit, int parts, std::int64_t index) {
  const std::int64_t units = ceil_div(size, unit);
  return {std::min(size, units * index / parts * unit),
          std::min(size, units * (index + 1) / parts * unit)};
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_RANGE_H_
