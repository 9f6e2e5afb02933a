// Running one case of a golden manifest through the library.
//
// Reads inputs, calls the library, hands back what it produced; judging is conformance_rules'.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_CASE_H_
#define MATPREC_SRC_CLI_CONFORMANCE_CASE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matprec/tensor.h"
#include "src/cli/conformance_manifest.h"

namespace matprec::cli {

// Output names and what stands for them.
using CaseOutputs = std::vector<std::pair<std::string, Tensor>>;

// Whether cases of this op can be run: by run_case, or by verify_violation.
bool is_op(const std::string& name);

// Any op but dot_general_verify. Errors: FileError for what the manifest or its files have wrong;
// the library's own.
CaseOutputs run_case(const ManifestCase& test, const std::string& directory);

// dot_general_verify: nothing if the library accepts and rejects as it must, else what it did
// instead.
std::optional<std::string> verify_violation(const ManifestCase& test);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_CASE_H_
