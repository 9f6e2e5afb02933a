// The text of an einsum equation as terms of letters and ellipses.
//
// Knows the grammar and how to point at a character of the text; knows no operands.
#ifndef MATPREC_SRC_DOT_EINSUM_EQUATION_H_
#define MATPREC_SRC_DOT_EINSUM_EQUATION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/error.h"

namespace matprec::contraction {

inline constexpr char kEllipsis = '.';

struct Symbol {
  char letter;     // A-Z, a-z, or kEllipsis
  std::size_t at;  // its place in the text
};

struct Term {
  std::vector<Symbol> symbols;
  std::size_t at = 0;  // where the term begins in the text

  bool has_ellipsis() const;
};

struct Equation {
  std::string text;
  std::vector<Term> operands;  // at least one
  std::optional<Term> output;  // nothing: no arrow
};

// Errors: a character that is no letter, comma, space, ellipsis or arrow; a second ellipsis in a
// term; a second arrow or a comma after it; an output letter that stands twice or in no operand.
Equation parse_equation(std::string_view text);

// "einsum: MESSAGE", the equation below it and a caret under its character `at`.
Error equation_error(std::string_view text, std::size_t at, const std::string& message);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_EINSUM_EQUATION_H_
