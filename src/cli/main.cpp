// The program `matprec`: reads the command line, runs one command, turns mistakes into one line.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "matprec/error.h"
#include "matprec/version.h"
#include "src/cli/command.h"
#include "src/cli/exit_code.h"
#include "src/cli/gnuplot.h"
#include "src/cli/nearest.h"
#include "src/io/output_file.h"

namespace matprec::cli {
namespace {

std::string version_text() {
  return "matprec " + std::to_string(MATPREC_VERSION_MAJOR) + "." +
         std::to_string(MATPREC_VERSION_MINOR) + "." + std::to_string(MATPREC_VERSION_PATCH);
}

// Interrupted: no half-written file stays, and the shell sees the signal.
extern "C" void clean_up_and_die(int signal) {
  io::remove_unfinished_file();
  stop_gnuplot();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string unknown_word(const CLI::App& program, const std::string& word) {
  const auto commands = program.get_subcommands();
  std::vector<std::string> known;
  std::string place = "matprec";
  const bool is_option = word.size() > 1 && word[0] == '-';
  if (commands.empty() && !is_option) {
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
    return place + ": unknown command \"" + word + "\"; nearest: " + nearest(word, known) +
           "; see matprec --help";
  }
  const CLI::App& command = commands.empty() ? program : *commands.front();
  if (!commands.empty()) place += " " + command.get_name();
  if (!is_option) return place + ": unexpected argument \"" + word + "\"; see " + place + " --help";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return place + ": unknown option " + word + "; nearest: " + nearest(word, known) + "; see " +
         place + " --help";
}

int run(int argc, char** argv) {
  CLI::App program(
      "Matrix products whose precision can be chosen, seen and trusted.\n"
      "Exit code 0: done; 1: a check, case or tolerance failed; 2: bad input; 3: not all could be "
      "run.");
  program.name("matprec");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  Action action;
  add_compare(program, action);
  add_list(program, action);
  add_info(program, action);
  add_explain(program, action);
  add_check(program, action);
  add_conformance(program, action);
  add_tensors(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return program.exit(e);  // --help and --version
  } catch (const CLI::ParseError& e) {
    const std::vector<std::string> unknown = program.remaining(true);
    if (!unknown.empty()) {
      std::cerr << unknown_word(program, unknown.front()) << '\n';
    } else {
      std::string place = "matprec";
      for (const CLI::App* command : program.get_subcommands()) place += " " + command->get_name();
      std::cerr << place << ": " << e.what() << "; see " << place << " --help\n";
    }
    return kBadInput;
  }
  const int code = action();
  std::cout.flush();
  if (!std::cout) throw Error("matprec: the output cannot be written");
  return code;
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
    return matprec::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "matprec: not enough memory\n";
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
  }
  return matprec::cli::kBadInput;
}
