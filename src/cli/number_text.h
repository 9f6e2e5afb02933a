// Numbers as text and as JSON.
#ifndef MATPREC_SRC_CLI_NUMBER_TEXT_H_
#define MATPREC_SRC_CLI_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

#include "matprec/dims.h"
#include "src/io/json.h"

namespace matprec::cli {

// "1.23e-05"; "0", "inf", "-inf", "nan".
std::string scientific(double value, int decimals = 2);
// "12.346"
std::string fixed(double value, int decimals);
// The shortest decimal that reads back as this number, with a point: "1.0", "1.001953125".
std::string shortest(double value);
// 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t value, int digits = 16);
// "1 entry", "3 entries"
std::string counted(std::int64_t count, const std::string& singular, const std::string& plural);

// JSON has no infinities and no NaN: "inf", "-inf" and "nan" are strings.
io::Json json_number(double value);
io::Json json_dims(const Dims& dims);
// Indented. JSON is UTF-8: other bytes, which a file's name may hold, become U+FFFD.
std::string json_text(const io::Json& json);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_NUMBER_TEXT_H_
