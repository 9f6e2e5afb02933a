// The one exception that matprec throws on a caller's mistake.
//
//   try { mp::matmul(a, b); } catch (const mp::Error& e) { std::cerr << e.what() << '\n'; }
//
// It is thrown before anything is written. The text names the call, shows the values, says what was
// expected and what to do.
#ifndef MATPREC_ERROR_H_
#define MATPREC_ERROR_H_

#include <stdexcept>
#include <string>

#include "matprec/export.h"

namespace matprec {

class MATPREC_API Error : public std::invalid_argument {
 public:
  explicit Error(const std::string& message) : std::invalid_argument(message) {}
};

}  // namespace matprec

#endif  // MATPREC_ERROR_H_
