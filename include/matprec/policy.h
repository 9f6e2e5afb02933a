// Who decides which algorithm a product runs: defaults, scopes, platforms, and the one answer.
//
//   mp::ScopedPrecision guard("bf16x3");          // this thread, until the brace
//   mp::Resolution r = mp::effective();           // r.algorithm, r.source: what float32 runs now, and why
//
// First hit wins: MATPREC_FORCE_PRECISION, the call's own precision, the operand types (where levels and
// defaults do not reach them), the innermost scope of this thread, set_default_precision(),
// MATPREC_DEFAULT_PRECISION, and last F32_F32_F32: float32 means float32 until somebody asks otherwise.
// Levels and defaults reach products in which an operand is float32 or complex64 and none is wider. All
// others run by their operands (float64 and complex128 -> F64_F64_F64, bfloat16 -> BF16_BF16_F32, float16
// -> F16_F16_F32, 8-bit floats -> ANY_F8_ANY_F8_F32, other pairs of narrow floats -> F32_F32_F32), unless
// the call itself names an algorithm. Integers are multiplied exactly modulo 2^32; no algorithm can be
// named for them, nor ANY_F8_ANY_F8_F32, which names no rounding, for anything but two 8-bit floats.
//
// Everything here that asks or changes what runs throws Error when a MATPREC_* variable holds an invalid
// value, or when it is given a number that is no enumerator.
#ifndef MATPREC_POLICY_H_
#define MATPREC_POLICY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"
#include "matprec/export.h"
#include "matprec/precision.h"
#include "matprec/source_location.h"

namespace matprec {

// Who chose an algorithm.
enum class Source : std::uint8_t {
  kForced,       // MATPREC_FORCE_PRECISION
  kArgument,     // the call's own precision
  kOperands,     // the operand types are not reached by levels and defaults
  kScope,        // the innermost scope on this thread
  kProcess,      // set_default_precision()
  kEnvironment,  // MATPREC_DEFAULT_PRECISION
  kBuiltIn,      // nobody: F32_F32_F32
};

// "forced", "argument", "operands", "scope", "process", "environment", "built-in".
MATPREC_API std::string_view to_string(Source source);

// What a level means: one row of the table in docs/environment.md.
enum class Platform : std::uint8_t {
  kNative,  // BF16_BF16_F32, BF16_BF16_F32_X3, F32_F32_F32
  kTpu,     // BF16_BF16_F32, BF16_BF16_F32_X3, BF16_BF16_F32_X6
  kGpu,     // TF32_TF32_F32, TF32_TF32_F32, F32_F32_F32 (Ampere and later)
  kCpu,     // F32_F32_F32 throughout, as XLA on a CPU
};

// "native", "tpu", "gpu", "cpu".
MATPREC_API std::string_view to_string(Platform platform);
// Errors: not one of those four (ASCII case-insensitive).
MATPREC_API Platform parse_platform(std::string_view name, std::string_view entrance = "platform");

// The platform of the process: set_platform(), else MATPREC_PLATFORM, else native.
MATPREC_API Platform platform();
MATPREC_API void set_platform(Platform platform);
// The algorithm of a level on a platform. Errors: level is kDefault, which is no level.
MATPREC_API DotAlgorithm algorithm_of(Precision level, Platform platform);

// The answer that dispatch, trace, explain and the CLI all read.
struct Resolution {
  DotAlgorithm algorithm = DotAlgorithm::kF32_F32_F32;
  Source source = Source::kBuiltIn;
  PrecisionRequest request;  // what the deciding source said; kDefault for kOperands and kBuiltIn
  SourceLocation location;   // where a deciding scope or process default was set, if known
};

// The algorithm for a product of these operand types under this call argument, here and now. Errors: an
// integer with a float; an algorithm named for integers; ANY_F8_ANY_F8_F32, whoever chose it, for operands
// that are not 8-bit floats.
MATPREC_API Resolution resolve(const PrecisionRequest& argument, ElementType lhs, ElementType rhs);

// resolve() without an argument: what a product of these types would run on this thread now.
MATPREC_API Resolution effective(ElementType lhs = ElementType::kF32,
                                 ElementType rhs = ElementType::kF32);

// "TF32_TF32_F32, chosen by MATPREC_DEFAULT_PRECISION".
MATPREC_API std::string to_string(const Resolution& resolution);

// True if levels and defaults act on a product of these types: one is float32 or complex64 and none is
// wider, nor an integer.
constexpr bool reached_by_defaults(ElementType lhs, ElementType rhs) {
  const ElementType l = real_type(lhs), r = real_type(rhs);
  return (l == ElementType::kF32 || r == ElementType::kF32) && l != ElementType::kF64 &&
         r != ElementType::kF64 && !is_integer(l) && !is_integer(r);
}

// True if an algorithm can multiply operands of these types: ANY_F8_ANY_F8_F32 two 8-bit floats, INTEGER
// two integers, the others any floats.
constexpr bool accepts(DotAlgorithm algorithm, ElementType lhs, ElementType rhs) {
  if (algorithm == DotAlgorithm::kInteger) return is_integer(lhs) && is_integer(rhs);
  if (!rounds_operands(algorithm)) return is_float8(lhs) && is_float8(rhs);
  return !is_integer(lhs) && !is_integer(rhs);
}

// The process default, for all threads, below their scopes. kDefault takes it back.
// Errors: a pair (defaults name one level or algorithm).
MATPREC_API void set_default_precision(const PrecisionRequest& request,
                                       SourceLocation where = SourceLocation::current());
template <detail::PrecisionName Name>
void set_default_precision(const Name& name, SourceLocation where = SourceLocation::current()) {
  set_default_precision(
      PrecisionRequest(parse_precision(detail::text_of(name), "set_default_precision")), where);
}
MATPREC_API PrecisionRequest default_precision();

namespace detail {
struct ScopeEntry;
struct PolicySnapshotState;
}  // namespace detail

// While it lives, this precision is the innermost scope of the thread that made it. kDefault in it means:
// as outside any scope. Guards may be destroyed in any order and on any thread; each takes back its own
// entry only. Neither copyable nor movable. Errors: a pair.
class MATPREC_NODISCARD_API ScopedPrecision {
 public:
  explicit ScopedPrecision(const PrecisionRequest& request,
                           SourceLocation where = SourceLocation::current());
  // Errors: not an accepted name.
  template <detail::PrecisionName Name>
  explicit ScopedPrecision(const Name& name, SourceLocation where = SourceLocation::current())
      : ScopedPrecision(parse_precision(detail::text_of(name), "ScopedPrecision"), where) {}
  ~ScopedPrecision();
  ScopedPrecision(const ScopedPrecision&) = delete;
  ScopedPrecision& operator=(const ScopedPrecision&) = delete;

 private:
  std::shared_ptr<detail::ScopeEntry> entry_;
};

// The number of precision scopes open on this thread; under a ScopedPolicy those of its snapshot and the
// ones opened since.
MATPREC_API int scope_depth();

// Runs callable() under a scope and returns its result.
template <class Request, class Callable>
decltype(auto) with_precision(const Request& request, Callable&& callable,
                              SourceLocation where = SourceLocation::current()) {
  const ScopedPrecision guard(request, where);
  return std::forward<Callable>(callable)();
}

// The scopes of one thread, to be carried to another: a new thread starts with none.
class MATPREC_API PolicySnapshot {
 public:
  PolicySnapshot();  // no scopes
  ~PolicySnapshot();
  PolicySnapshot(const PolicySnapshot&);
  PolicySnapshot& operator=(const PolicySnapshot&);

 private:
  friend MATPREC_API PolicySnapshot capture_policy();
  friend class ScopedPolicy;
  std::shared_ptr<const detail::PolicySnapshotState> state_;
};

// What this thread's scopes (precision and requirement) say now. It does not change when they end.
MATPREC_API PolicySnapshot capture_policy();

// While it lives, this thread's scopes are those of the snapshot, and no others.
class MATPREC_NODISCARD_API ScopedPolicy {
 public:
  explicit ScopedPolicy(const PolicySnapshot& snapshot);
  ~ScopedPolicy();
  ScopedPolicy(const ScopedPolicy&) = delete;
  ScopedPolicy& operator=(const ScopedPolicy&) = delete;

 private:
  std::shared_ptr<detail::ScopeEntry> entry_;
};

// While it lives, a float32 product (reached_by_defaults) on this thread whose algorithm ranks below
// `least` is an Error; a level stands for the platform's algorithm. MATPREC_REQUIRE does the same for the
// process. Of several requirements in force the strictest counts. Ranks are
// AlgorithmInfo::rank: bf16_acc < bf16 < fp16_acc < fp16 < tf32 < bf16x3 < tf32x3 < bf16x6 <
// bf16x9 = fp32 < fp64. Errors: kDefault or a pair.
class MATPREC_NODISCARD_API ScopedRequirement {
 public:
  explicit ScopedRequirement(const PrecisionRequest& least,
                             SourceLocation where = SourceLocation::current());
  // Errors: not an accepted name.
  template <detail::PrecisionName Name>
  explicit ScopedRequirement(const Name& name, SourceLocation where = SourceLocation::current())
      : ScopedRequirement(parse_precision(detail::text_of(name), "ScopedRequirement"), where) {}
  ~ScopedRequirement();
  ScopedRequirement(const ScopedRequirement&) = delete;
  ScopedRequirement& operator=(const ScopedRequirement&) = delete;

 private:
  std::shared_ptr<detail::ScopeEntry> entry_;
};

}  // namespace matprec

#endif  // MATPREC_POLICY_H_
