// The pieces that error texts about a value share: the value made printable, the known names, the
// nearest.
//
// Knows strings, places and the types of elements only. Lowest layer beside environment.h: every
// room may use it.
#ifndef MATPREC_SRC_ERROR_TEXT_H_
#define MATPREC_SRC_ERROR_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"
#include "matprec/error.h"
#include "matprec/source_location.h"

namespace matprec {

// The character in lower case if it is an ASCII letter, whatever the locale.
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// The value in double quotes. Quotes, backslashes and control bytes are escaped, and a long value
// is cut, so that a text stays one readable line whatever it has to show.
std::string in_quotes(std::string_view value);

// The name that takes the fewest edits (a letter changed, put in, left out, two neighbours swapped)
// to become `value`, ASCII case ignored; the first of several. `names` is not empty.
std::string_view nearest_name(std::string_view value, std::span<const std::string_view> names);

// "a, b, c".
std::string joined(std::span<const std::string_view> names);

// `entrance: unknown value "value"; known: a, b, c; nearest: b`.
std::string unknown_value_text(std::string_view entrance, std::string_view value,
                               std::span<const std::string_view> names);

// " at file:line"; "" where the place is unknown.
std::string at_location(SourceLocation where);

// Throws Error for a number that is no enumerator, which C++ lets a caller cast.
void check_enumerator(std::string_view entrance, ElementType type);
void check_enumerator(std::string_view entrance, PrecisionType type);

// The Error about a product of an integer with a float.
Error integer_with_float(ElementType lhs, ElementType rhs);

}  // namespace matprec

#endif  // MATPREC_SRC_ERROR_TEXT_H_
