#include "src/cli/forced_precision.h"

#include "matprec/error.h"
#include "matprec/policy.h"

namespace matprec::cli {

void require_unforced(const std::string& command) {
  const Resolution resolution = effective();
  if (resolution.source != Source::kForced) return;
  throw Error(
      command + ": MATPREC_FORCE_PRECISION=" + to_string(resolution.request) +
      " replaces every algorithm, so there is nothing to compare; unset it for this command");
}

}  // namespace matprec::cli
