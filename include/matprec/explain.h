// Seeing what runs: explain() before a product, a trace of each product as it runs.
//
//   std::cout << mp::explain(a, b) << '\n';
//   mp::set_trace_callback([](const mp::TraceEvent& e) { log(e.algorithm, e.source); });
//
// MATPREC_VERBOSE=1 prints one line a product on stderr without any change to the program.
#ifndef MATPREC_EXPLAIN_H_
#define MATPREC_EXPLAIN_H_

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/export.h"
#include "matprec/policy.h"

namespace matprec {

// A batch of m x k by k x n products.
struct ProductShape {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
};

struct Explanation {
  Resolution resolution;
  ElementType lhs_type, rhs_type, out_type;
  ProductShape shape;
  std::string target;    // SIMD target, as in `matprec info`
  std::string path;      // how it is computed: which kernel path, tile and blocks
  int threads;           // threads that would work on it
  int fmas;              // per element and step
  // |error| <= error_factor * (|A||B|) per entry, operands in the normal range, before the sum is
  // rounded to a narrower out_type.
  double error_factor;
  bool reached;          // levels and defaults act on these operand types
  std::array<DotAlgorithm, 3> levels;  // what fastest, high, highest mean here
};

// What a product of these would run, here and now. Errors: as dot_general's.
MATPREC_API Explanation explain(const PrecisionRequest& request, ElementType lhs, ElementType rhs,
                                const ProductShape& shape);
// For matmul(lhs, rhs, options).
MATPREC_API Explanation explain(const TensorView& lhs, const TensorView& rhs,
                                const DotOptions& options = {});

// "TF32_TF32_F32, chosen by MATPREC_DEFAULT_PRECISION, on AVX3, 1 FMA per element and step, |error| <= ...".
MATPREC_API std::string to_string(const Explanation& explanation);
MATPREC_API std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

// The per-entry factor of the promised bound: |C - Chat| <= factor * (|A||B|) before the epilogue, for k
// steps, operands inside the normal range of the algorithm's type (docs/numerics.md).
MATPREC_API double error_factor(DotAlgorithm algorithm, std::int64_t k);

// One product that has run.
struct TraceEvent {
  std::string_view op;     // "dot_general", "matmul", "cblas_sgemm", ...
  std::string_view label;  // DotOptions::label
  ElementType lhs_type, rhs_type, out_type;
  Dims lhs_shape, rhs_shape, out_shape;
  Resolution resolution;
  std::string_view target;
  int threads;
  double microseconds;
  SourceLocation caller;  // file nullptr: unknown
};

// Called after each product's result is complete, on the thread that asked for it; nullptr ends it. The
// callback may itself multiply (those products are not traced). An exception from it is dropped and the
// result kept.
MATPREC_API void set_trace_callback(std::function<void(const TraceEvent&)> callback);

// The line that MATPREC_VERBOSE=1 prints.
MATPREC_API std::string to_string(const TraceEvent& event);

}  // namespace matprec

#endif  // MATPREC_EXPLAIN_H_
