#include "src/dot/einsum_equation.h"

#include <algorithm>

#include "src/error_text.h"

namespace matprec::contraction {
namespace {

// Of a longer equation the neighbourhood of the caret is shown.
constexpr std::size_t kShownBefore = 60, kShownAfter = 40;

bool is_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

bool has(const Term& term, char letter) {
  return std::ranges::any_of(term.symbols, [&](const Symbol& s) { return s.letter == letter; });
}

std::string quoted(char c) { return in_quotes(std::string_view(&c, 1)); }

// The first character of a text that is hopefully UTF-8.
std::string_view first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < std::min<std::size_t>(text.size(), 4) && (text[size] & 0xC0) == 0x80) ++size;
  return text.substr(0, size);
}

void check_output(const Equation& equation) {
  const Term& output = *equation.output;
  for (std::size_t i = 0; i < output.symbols.size(); ++i) {
    const Symbol& symbol = output.symbols[i];
    if (symbol.letter == kEllipsis) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (output.symbols[j].letter == symbol.letter) {
        throw equation_error(
            equation.text, symbol.at,
            "output letter " + quoted(symbol.letter) + " stands twice; each may stand once");
      }
    }
    if (std::ranges::none_of(equation.operands,
                             [&](const Term& term) { return has(term, symbol.letter); })) {
      throw equation_error(equation.text, symbol.at,
                           "output letter " + quoted(symbol.letter) +
                               " stands in no operand, so that its size is unknown");
    }
  }
}

}  // namespace

bool Term::has_ellipsis() const { return has(*this, kEllipsis); }

Error equation_error(std::string_view text, std::size_t at, const std::string& message) {
  const std::size_t first = at > kShownBefore ? at - kShownBefore : 0;
  std::string shown(text.substr(first, at - first + kShownAfter));
  // One column a byte, so that the caret stands where it should.
  std::ranges::replace_if(
      shown, [](char c) { return !is_printable(c); }, '?');
  return Error("einsum: " + message + "\n  " + shown + "\n  " + std::string(at - first, ' ') + "^");
}

Equation parse_equation(std::string_view text) {
  Equation equation{std::string(text), {}, std::nullopt};
  Term term;
  bool after_arrow = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t length = 1;
    if (is_letter(c)) {
      term.symbols.push_back({c, i});
    } else if (text.substr(i, 3) == "...") {
      if (term.has_ellipsis()) {
        throw equation_error(text, i, "a second ellipsis in one term; a term may have one");
      }
      term.symbols.push_back({kEllipsis, i});
      length = 3;
    } else if (c == ',') {
      if (after_arrow) {
        throw equation_error(text, i, "a comma after the arrow; there is one result");
      }
      equation.operands.push_back(term);
      term = {{}, i + 1};
    } else if (text.substr(i, 2) == "->") {
      if (after_arrow) throw equation_error(text, i, "a second arrow; there is one result");
      after_arrow = true;
      equation.operands.push_back(term);
      term = {{}, i + 2};
      length = 2;
    } else if (c != ' ') {
      throw equation_error(text, i,
                           in_quotes(first_character(text.substr(i))) +
                               " is nothing an equation is made of; expected letters, "
                               "\",\", \"...\", \"->\" and spaces");
    }
    i += length;
  }
  if (!after_arrow) {
    equation.operands.push_back(term);
    return equation;
  }
  equation.output = term;
  check_output(equation);
  return equation;
}

}  // namespace matprec::contraction
