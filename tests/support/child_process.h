// Runs a function in a child process with its own MATPREC_* variables, because the library reads
// them once.
//
// The test's own process must not have used the library before: a test program that calls
// in_child() does everything in children.
#ifndef MATPREC_TESTS_SUPPORT_CHILD_PROCESS_H_
#define MATPREC_TESTS_SUPPORT_CHILD_PROCESS_H_

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "matprec/error.h"
#include "tests/support/clean_environment.h"

namespace matprec::testing {

struct ChildResult {
  std::string out;  // what the function returned, or "Error: " and the text of the Error it threw
  std::string err;  // what was written to stderr
  int status = 0;   // exit code; minus the signal's number if one ended the child
};

using Variables = std::vector<std::pair<std::string, std::string>>;

inline std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(descriptor, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(descriptor);
  return text;
}

// The child is ended after 20 seconds. What it writes must fit into a pipe (64 KiB).
inline ChildResult in_child(const Variables& variables, const std::function<std::string()>& body) {
  int out[2];
  int err[2];
  if (pipe(out) != 0 || pipe(err) != 0) return {"no pipe", "", -1};
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    dup2(err[1], STDERR_FILENO);
    clear_matprec_variables();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::string text;
    try {
      text = body();
    } catch (const Error& error) {
      text = std::string("Error: ") + error.what();
    }
    const bool complete =
        write(out[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(complete ? 0 : 1);
  }
  close(out[1]);
  close(err[1]);
  ChildResult result;
  result.out = read_all(out[0]);
  result.err = read_all(err[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_CHILD_PROCESS_H_
