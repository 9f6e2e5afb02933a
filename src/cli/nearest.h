// The known word that somebody who mistyped most likely meant.
#ifndef MATPREC_SRC_CLI_NEAREST_H_
#define MATPREC_SRC_CLI_NEAREST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matprec::cli {

// Levenshtein's: how many letters must be put in, taken out or changed.
std::size_t edit_distance(std::string_view a, std::string_view b);

// By edit distance; "" if no word is known.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_NEAREST_H_
