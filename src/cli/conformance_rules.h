// The rules of golden manifests: does an output pass?
//
// Judges by plain decoding of bits and float64 arithmetic; knows nothing of how outputs are made.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_RULES_H_
#define MATPREC_SRC_CLI_CONFORMANCE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "matprec/tensor.h"
#include "src/cli/conformance_manifest.h"

namespace matprec::cli {

// What a rule needs besides the two arrays.
struct RuleData {
  const Tensor* bound = nullptr;            // kErrorBound with a file
  const std::vector<bool>* mask = nullptr;  // only elements with true are compared
};

// Nothing if `got` passes; else what is wrong, in a line: how many elements, the first one's index,
// what it is, what was expected. `produced_dtype` is the type that `got` must have; `expected` may
// be wider.
std::optional<std::string> violation(const Rule& rule, const std::string& produced_dtype,
                                     const Tensor& got, const Tensor& expected,
                                     const RuleData& data = {});

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_RULES_H_
