#include "src/cli/free_choice.h"

#include "matprec/error.h"
#include "matprec/policy.h"
#include "matprec/runtime.h"

namespace matprec::cli {

void require_free_choice(const std::string& command) {
  const Resolution resolution = effective();
  if (resolution.source == Source::kForced) {
    throw Error(command + ": MATPREC_FORCE_PRECISION=" + to_string(resolution.request) +
                " replaces every algorithm, so there is nothing to compare; unset it for this command");
  }
  for (const VariableInfo& variable : variables()) {
    if (variable.name != "MATPREC_REQUIRE" || !variable.set) continue;
    throw Error(command + ": MATPREC_REQUIRE=" + variable.value +
                " forbids the less precise algorithms, which this command runs; unset it for this "
                "command");
  }
}

}  // namespace matprec::cli
