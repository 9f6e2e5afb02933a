// EXPECT_ERROR(statement, text): the statement throws matprec::Error with exactly this text.
#ifndef MATPREC_TESTS_SUPPORT_EXPECT_ERROR_H_
#define MATPREC_TESTS_SUPPORT_EXPECT_ERROR_H_

#include <gtest/gtest.h>

#include <string>

#include "matprec/error.h"

#define EXPECT_ERROR(statement, text)                               \
  do {                                                              \
    std::string caught_text = "(nothing was thrown)";               \
    try {                                                           \
      static_cast<void>(statement);                                            \
    } catch (const matprec::Error& error) {                         \
      caught_text = error.what();                                   \
    }                                                               \
    EXPECT_EQ(caught_text, std::string(text)) << #statement;        \
  } while (false)

#endif  // MATPREC_TESTS_SUPPORT_EXPECT_ERROR_H_
