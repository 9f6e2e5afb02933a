// The known word that somebody who mistyped most likely meant.
#ifndef MATPREC_SRC_CLI_NEAREST_H_
#define MATPREC_SRC_CLI_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace matprec::cli {

// By edit distance; "" if no word is known.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_NEAREST_H_
