// The program `matprec`: reads the command line, runs one command, turns mistakes into one line.
#include <csignal>
#include <exception>
#include <iostream>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/exit_code.h"
#include "src/cli/gnuplot.h"
#include "src/io/output_file.h"

namespace matprec::cli {
namespace {

// Interrupted: no half-written file stays, and the shell sees the signal.
extern "C" void clean_up_and_die(int signal) {
  io::remove_unfinished_file();
  stop_gnuplot();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<Command> all_commands() {
  return {compare_command(), list_command(),        info_command(),   explain_command(),
          check_command(),   conformance_command(), tensors_command()};
}

}  // namespace
}  // namespace matprec::cli

int main(int argc, char** argv) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that the parent set to be ignored (nohup) stays ignored.
    if (std::signal(signal, matprec::cli::clean_up_and_die) == SIG_IGN)
      std::signal(signal, SIG_IGN);
  }
  try {
    return matprec::cli::run_command_line(argc, argv, matprec::cli::all_commands());
  } catch (const std::bad_alloc&) {
    std::cerr << "matprec: not enough memory\n";
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
  }
  return matprec::cli::kBadInput;
}
