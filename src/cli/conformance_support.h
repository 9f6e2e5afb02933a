// What of the golden data this version can run, and the reasons for the rest.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_SUPPORT_H_
#define MATPREC_SRC_CLI_CONFORMANCE_SUPPORT_H_

#include <optional>
#include <string>

#include "src/cli/conformance_manifest.h"

namespace matprec::cli {

// Why a case cannot be run yet, in words that many cases share: "op einsum", "int8 elements".
// Nothing if it can be run.
std::optional<std::string> reason_not_to_run(const ManifestCase& test);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_SUPPORT_H_
