#include "src/cli/number_option.h"

#include <charconv>
#include <limits>

namespace matprec::cli {
namespace {

// All of the text is a number, and that is 0 or more (which a NaN is not).
template <class T>
bool is_not_negative(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

CLI::Validator whole_number(const std::string& zero) {
  const std::string expected = "expected a whole number from 0 (" + zero + ") to " +
                               std::to_string(std::numeric_limits<int>::max());
  return CLI::Validator(
      [expected](const std::string& text) {
        return is_not_negative<int>(text) ? "" : "\"" + text + "\": " + expected;
      },
      "");
}

CLI::Validator number_not_negative() {
  return CLI::Validator(
      [](const std::string& text) {
        return is_not_negative<double>(text) ? std::string()
                                             : "\"" + text + "\": expected a number of 0 or more";
      },
      "");
}

}  // namespace matprec::cli
