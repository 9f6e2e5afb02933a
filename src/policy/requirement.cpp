#include "src/policy/requirement.h"

#include <string>
#include <vector>

#include "matprec/error.h"
#include "src/environment.h"
#include "src/error_text.h"
#include "src/policy/meaning.h"
#include "src/policy/scope.h"

namespace matprec {
namespace {

struct Requirement {
  DotAlgorithm least;
  PrecisionRequest request;
  std::string set_by;
};

// The strictest one in force; the innermost of equals, scopes before the environment.
Requirement strictest(const Environment& e) {
  std::vector<Requirement> all;
  for (const Choice& choice : scope_requirements()) {
    all.push_back({meaning_of(choice.request, e), choice.request,
                   "the ScopedRequirement" + at_location(choice.where)});
  }
  if (const auto& request = e.require) {
    all.push_back({meaning_of(*request, e), *request, "MATPREC_REQUIRE"});
  }
  Requirement result = all.front();
  for (const Requirement& requirement : all) {
    if (info(requirement.least).rank > info(result.least).rank) result = requirement;
  }
  return result;
}

}  // namespace

void check_requirement(const Resolution& resolution, ElementType lhs, ElementType rhs,
                       std::string_view op) {
  const Environment& e = environment();
  const bool required = e.require.has_value() || has_scope_requirements();
  if (!required || !reached_by_defaults(lhs, rhs)) return;
  const Requirement requirement = strictest(e);
  if (info(resolution.algorithm).rank >= info(requirement.least).rank) return;
  std::string text(op);
  text += ": " + to_string(resolution) + ", is less precise than ";
  text += to_string(requirement.least);
  text += ", required by " + requirement.set_by;
  if (!requirement.request.names_algorithm()) {
    text += " (level " + to_string(requirement.request) + ")";
  }
  if (resolution.source == Source::kForced) {
    text += "; unset MATPREC_FORCE_PRECISION or raise it";
  } else {
    text += "; raise the precision of this product, for example .precision = \"";
    text += info(requirement.least).short_name;
    text += "\"";
  }
  throw Error(text + ", or lower the requirement");
}

}  // namespace matprec
