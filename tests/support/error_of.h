// The text of the Error that a call throws.
#ifndef MATPREC_TESTS_SUPPORT_ERROR_OF_H_
#define MATPREC_TESTS_SUPPORT_ERROR_OF_H_

#include <string>

#include "matprec/error.h"

namespace matprec::testing {

template <class Callable>
std::string error_of(Callable callable) {
  try {
    callable();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_ERROR_OF_H_
