// A precision that somebody asked for, and where: what scopes and the process default store.
#ifndef MATPREC_SRC_POLICY_CHOICE_H_
#define MATPREC_SRC_POLICY_CHOICE_H_

#include <cstddef>
#include <string_view>

#include "matprec/dot_algorithm.h"
#include "matprec/precision.h"
#include "matprec/source_location.h"

namespace matprec {

struct Choice {
  PrecisionRequest request;
  SourceLocation where;
};

// False if the request holds a number that is no enumerator, which C++ lets a caller cast.
constexpr bool is_sound(const PrecisionRequest& request) {
  if (request.names_algorithm()) {
    return static_cast<std::size_t>(request.algorithm()) < kAlgorithms.size();
  }
  return request.lhs_level() <= Precision::kHighest && request.rhs_level() <= Precision::kHighest;
}

// Throws the Error for a request that is not sound.
void check_sound(const PrecisionRequest& request, std::string_view entrance);

// The same, and an Error for a pair: what is no call's argument names one level or algorithm.
void check_single(const PrecisionRequest& request, std::string_view entrance);

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_CHOICE_H_
