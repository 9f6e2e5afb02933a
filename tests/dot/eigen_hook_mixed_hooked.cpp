// The other file of eigen_hook_mixed_test: it includes the hook.
#include "matprec/eigen_hook.h"
// The hook stands before every Eigen header.

#include <string>

#include "tests/support/error_of.h"

std::string error_of_check_in_the_file_with_the_hook() {
  return matprec::testing::error_of([] { matprec::check_eigen_hook(); });
}
