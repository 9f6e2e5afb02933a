// Runs the built program as a user does: a process of its own, its output in hand.
#ifndef MATPREC_TESTS_CLI_RUN_PROGRAM_H_
#define MATPREC_TESTS_CLI_RUN_PROGRAM_H_

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "src/io/json.h"
#include "tests/support/clean_environment.h"
#include "tests/support/temporary_folder.h"

namespace matprec::testing {

struct ProgramRun {
  int exit_code = -1;  // minus the signal's number if one ended it
  std::string out, err;

  io::Json json() const { return io::Json::parse(out); }
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// A process of the program. It starts without MATPREC_* variables, but for `variables`; `out` and
// `err` are files.
inline pid_t start_matprec(const std::vector<std::string>& arguments, const Settings& variables,
                           const std::string& out, const std::string& err) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (const auto& [file, descriptor] : {std::pair{&out, STDOUT_FILENO}, {&err, STDERR_FILENO}}) {
    dup2(open(file->c_str(), O_WRONLY | O_CREAT, 0600), descriptor);
  }
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::string program = MATPREC_PROGRAM;
  std::vector<std::string> owned = arguments;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

// Waits for its end. Minus the signal's number if one ended it.
inline int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

inline ProgramRun run_matprec(const std::vector<std::string>& arguments,
                              const Settings& variables = {}) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  const int exit_code = exit_code_of(start_matprec(arguments, variables, out, err));
  return {exit_code, content_of(out), content_of(err)};
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_CLI_RUN_PROGRAM_H_
