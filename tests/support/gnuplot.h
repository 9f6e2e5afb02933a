// Tests that need the program gnuplot are skipped where it is not installed; where CI=true they
// fail.
#ifndef MATPREC_TESTS_SUPPORT_GNUPLOT_H_
#define MATPREC_TESTS_SUPPORT_GNUPLOT_H_

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "tests/support/full_check.h"

namespace matprec::testing {

inline bool gnuplot_is_missing() {
  const char* path = getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && access((folder + "/gnuplot").c_str(), X_OK) == 0) return false;
  }
  return true;
}

// Opens every test that draws.
#define MATPREC_NEEDS_GNUPLOT()                                                            \
  if (::matprec::testing::gnuplot_is_missing()) {                                          \
    ASSERT_FALSE(::matprec::testing::in_full_check())                                      \
        << "CI=true, but gnuplot is not installed (apt-get install gnuplot-nox)";          \
    GTEST_SKIP() << "NOT CHECKED: gnuplot is not installed (apt-get install gnuplot-nox)"; \
  }

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_GNUPLOT_H_
