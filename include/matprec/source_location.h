// Where in the caller's program something was asked for.
//
// std::source_location cannot be used: clang 14 lacks the builtin that libstdc++ needs for it.
#ifndef MATPREC_SOURCE_LOCATION_H_
#define MATPREC_SOURCE_LOCATION_H_

namespace matprec {

struct SourceLocation {
  const char* file = nullptr;  // nullptr: unknown
  int line = 0;

  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace matprec

#endif  // MATPREC_SOURCE_LOCATION_H_
