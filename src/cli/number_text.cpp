#include "src/cli/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace matprec::cli {
namespace {

std::string not_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

std::string formatted(const char* format, int decimals, double value) {
  char text[400];
  const int size = std::snprintf(text, sizeof text, format, decimals, value);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

std::string scientific(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite(value);
  return value == 0 ? "0" : formatted("%.*e", decimals, value);
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? formatted("%.*f", decimals, value) : not_finite(value);
}

std::string shortest(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  char text[64];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, value);
  std::string result(text, end.ptr);
  if (result.find_first_of(".e") == result.npos) result += ".0";
  return result;
}

std::string hexadecimal(std::uint64_t value, int digits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string counted(std::int64_t count, const std::string& singular, const std::string& plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

io::Json json_number(double value) {
  if (std::isfinite(value)) return value;
  return not_finite(value);
}

std::string json_text(const io::Json& json) {
  return json.dump(2);
}

io::Json json_dims(const Dims& dims) {
  io::Json result = io::Json::array();
  for (const std::int64_t size : dims) result.push_back(size);
  return result;
}

}  // namespace matprec::cli
