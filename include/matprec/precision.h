// What a caller can ask for: a level, an algorithm, a pair of levels, or nothing.
//
//   mp::PrecisionRequest a = mp::Precision::kHighest;              // a level: the platform says what it means
//   mp::PrecisionRequest b = mp::DotAlgorithm::kTF32_TF32_F32;     // an algorithm: the same everywhere
//   mp::PrecisionRequest c = "bf16x3";                             // any accepted name
//   mp::PrecisionRequest d = {mp::Precision::kHigh, mp::Precision::kHighest};  // one level an operand
//
// One list of names serves every entrance (call argument, scope, process default, environment, CLI),
// ASCII case-insensitive, without trimming:
//   default fastest high highest, every canonical and short name of kAlgorithms, and its aliases.
// A name that is not in the list is an Error that names the entrance, the value, the accepted names and
// the nearest one. Nothing is ever replaced by something else in silence.
#ifndef MATPREC_PRECISION_H_
#define MATPREC_PRECISION_H_

#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "matprec/dot_algorithm.h"
#include "matprec/export.h"

namespace matprec {

// A wish, whose meaning is the row of the platform in force (policy.h).
enum class Precision : std::uint8_t {
  kDefault,  // as if nothing were said here: ask further out
  kFastest,
  kHigh,
  kHighest,
};

// "default", "fastest", "high", "highest".
constexpr std::string_view to_string(Precision precision) {
  constexpr std::string_view kNames[] = {"default", "fastest", "high", "highest"};
  const std::size_t i = static_cast<std::size_t>(precision);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

class MATPREC_API PrecisionRequest {
 public:
  enum class Kind : std::uint8_t { kLevels, kAlgorithm };

  constexpr PrecisionRequest() = default;  // nothing: Precision::kDefault
  constexpr PrecisionRequest(Precision level) : lhs_(level), rhs_(level) {}  // NOLINT
  constexpr PrecisionRequest(Precision lhs, Precision rhs) : lhs_(lhs), rhs_(rhs) {}
  constexpr PrecisionRequest(DotAlgorithm algorithm)  // NOLINT
      : kind_(Kind::kAlgorithm), algorithm_(algorithm) {}
  // Errors: as from_fields.
  PrecisionRequest(const DotAlgorithmFields& fields);  // NOLINT
  // Errors: not an accepted name.
  PrecisionRequest(std::string_view name);  // NOLINT
  PrecisionRequest(const char* name)  // NOLINT; a null pointer is the empty name
      : PrecisionRequest(name == nullptr ? std::string_view() : std::string_view(name)) {}
  PrecisionRequest(const std::string& name) : PrecisionRequest(std::string_view(name)) {}  // NOLINT

  constexpr Kind kind() const { return kind_; }
  constexpr bool names_algorithm() const { return kind_ == Kind::kAlgorithm; }
  // Nothing is asked for here.
  constexpr bool is_default() const {
    return kind_ == Kind::kLevels && lhs_ == Precision::kDefault && rhs_ == Precision::kDefault;
  }
  constexpr bool is_pair() const { return kind_ == Kind::kLevels && lhs_ != rhs_; }
  constexpr DotAlgorithm algorithm() const { return algorithm_; }  // if names_algorithm()
  constexpr Precision lhs_level() const { return lhs_; }           // otherwise
  constexpr Precision rhs_level() const { return rhs_; }

  friend constexpr bool operator==(const PrecisionRequest&, const PrecisionRequest&) = default;

 private:
  Kind kind_ = Kind::kLevels;
  Precision lhs_ = Precision::kDefault;
  Precision rhs_ = Precision::kDefault;
  DotAlgorithm algorithm_ = DotAlgorithm::kF32_F32_F32;
};

// What the backward products of a product run: one request for both cotangents, or one for each. Nothing:
// the forward's algorithm.
struct TransposePrecision {
  PrecisionRequest lhs, rhs;

  constexpr TransposePrecision() = default;
  template <class Request>
    requires std::convertible_to<const Request&, PrecisionRequest>
  constexpr TransposePrecision(const Request& both) : lhs(both), rhs(lhs) {}  // NOLINT
  constexpr TransposePrecision(const PrecisionRequest& l, const PrecisionRequest& r)
      : lhs(l), rhs(r) {}
  friend constexpr bool operator==(const TransposePrecision&, const TransposePrecision&) = default;
};

// The request that a name stands for. `entrance` opens the error text, for example an environment
// variable's name. Errors: not an accepted name (the empty string is none).
MATPREC_API PrecisionRequest parse_precision(std::string_view name,
                                             std::string_view entrance = "precision");

namespace detail {
// A type that holds a name; the empty name where it holds none.
template <class T>
concept PrecisionName = std::convertible_to<const T&, std::string_view>;
constexpr std::string_view text_of(const char* name) {
  return name == nullptr ? std::string_view() : std::string_view(name);
}
constexpr std::string_view text_of(std::string_view name) { return name; }
inline std::string_view text_of(const std::string& name) { return name; }
}  // namespace detail

// The canonical text: "tf32" -> "TF32_TF32_F32", "HIGH" -> "high"; a pair is "(high, highest)".
// Errors: the request holds a number that is no enumerator.
// parse_precision(to_string(r)) == r for every r that is no pair.
MATPREC_API std::string to_string(const PrecisionRequest& request);

// Every accepted name: the levels from "default" on, then the canonical name, short name and aliases of
// each row of kAlgorithms.
MATPREC_API std::span<const std::string_view> precision_names();

}  // namespace matprec

#endif  // MATPREC_PRECISION_H_
