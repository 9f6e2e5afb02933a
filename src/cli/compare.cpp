// `matprec compare`: real matrices in, a table out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/comparison.h"
#include "src/cli/comparison_report.h"
#include "src/cli/exit_code.h"
#include "src/cli/free_choice.h"
#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

struct Options {
  std::vector<std::string> files, gram, distance, algorithms;
  bool transpose_rhs = false, bf16 = false, json = false;
  double tolerance = -1;  // below 0: none given
  bool tolerance_given = false;
  int threads = 0, rounds = 0;
};

// A level stands for what it means on the platform in force, nothing and "default" for what runs
// here.
DotAlgorithm algorithm_named(const std::string& name) {
  const PrecisionRequest request = parse_precision(name, "--algorithms");
  return resolve(request, ElementType::kF32, ElementType::kF32).algorithm;
}

std::vector<DotAlgorithm> chosen_algorithms(const std::vector<std::string>& names) {
  std::vector<DotAlgorithm> chosen;
  if (names.empty()) {
    for (const AlgorithmInfo& row : kAlgorithms) {
      if (rounds_operands(row.algorithm)) chosen.push_back(row.algorithm);
    }
  }
  for (const std::string& name : names) {
    const DotAlgorithm algorithm = algorithm_named(name);
    if (std::ranges::find(chosen, algorithm) == chosen.end()) chosen.push_back(algorithm);
  }
  return chosen;
}

void check(const Options& options) {
  if (options.files.size() % 2 != 0) {
    throw Error(
        "matprec compare: " + options.files.back() +
        " has no partner; give files in pairs A.npy B.npy, or --gram A.npy, or --distance A.npy");
  }
  if (options.files.empty() && options.gram.empty() && options.distance.empty()) {
    throw Error(
        "matprec compare: no matrices; give A.npy B.npy, or --gram A.npy, or --distance A.npy");
  }
  if (options.tolerance_given && !(options.tolerance >= 0)) {
    throw Error("matprec compare: --tolerance must be a number of 0 or more");
  }
  if (options.threads < 0) {
    throw Error("matprec compare: --threads " + std::to_string(options.threads) +
                " is negative; 0 means as many as the library would use");
  }
  if (options.rounds < 0) {
    throw Error("matprec compare: --repeat " + std::to_string(options.rounds) +
                " is negative; 0 means as many rounds as fit into half a second");
  }
}

// Every file is read and every shape checked before the first product runs.
std::vector<ComparisonProblem> problems_of(const Options& options) {
  std::vector<ComparisonProblem> problems;
  for (std::size_t i = 0; i < options.files.size(); i += 2) {
    problems.push_back(ComparisonProblem::product(options.files[i], options.files[i + 1],
                                                  options.transpose_rhs, options.bf16));
  }
  for (const std::string& file : options.gram) {
    problems.push_back(ComparisonProblem::gram(file, options.bf16));
  }
  for (const std::string& file : options.distance) {
    problems.push_back(ComparisonProblem::distance(file, options.bf16));
  }
  return problems;
}

// The cheapest algorithm that passes on all products; nothing if there is none.
std::optional<DotAlgorithm> enough_for_all(const std::vector<Comparison>& comparisons,
                                           const std::vector<DotAlgorithm>& algorithms) {
  std::optional<DotAlgorithm> best;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    bool passes = true;
    for (const Comparison& comparison : comparisons) passes = passes && comparison.rows[i].passes;
    if (passes && (!best || cheaper(info(algorithms[i]), info(*best)))) best = algorithms[i];
  }
  return best;
}

void print_json(const std::vector<Comparison>& comparisons, std::optional<double> tolerance,
                std::optional<DotAlgorithm> enough) {
  const Resolution here = effective();
  nlohmann::json result = {{"default",
                            {{"algorithm", to_string(here.algorithm)},
                             {"source", to_string(here.source)},
                             {"text", to_string(here)}}},
                           {"target", current_target()},
                           {"threads", num_threads()},
                           {"comparisons", nlohmann::json::array()}};
  for (const Comparison& comparison : comparisons) {
    result["comparisons"].push_back(comparison_json(comparison, tolerance));
  }
  if (tolerance) {
    result["tolerance"] = *tolerance;
    result["enough"] = enough ? nlohmann::json(to_string(*enough)) : nlohmann::json();
  }
  std::cout << json_text(result) << '\n';
}

int run(const Options& options) {
  check(options);
  require_free_choice("matprec compare");
  set_num_threads(options.threads);
  const ComparisonSettings settings{
      .algorithms = chosen_algorithms(options.algorithms),
      .tolerance = options.tolerance_given ? std::optional(options.tolerance) : std::nullopt,
      .rounds = options.rounds};
  const std::vector<ComparisonProblem> problems = problems_of(options);
  if (!options.json) std::cout << "default here: " << to_string(effective()) << std::endl;
  std::vector<Comparison> comparisons;
  for (const ComparisonProblem& problem : problems) {
    comparisons.push_back(compare(problem, settings));
    if (!options.json) {
      std::cout << '\n' << comparison_text(comparisons.back(), settings.tolerance) << std::flush;
    }
  }
  const std::optional<DotAlgorithm> enough = enough_for_all(comparisons, settings.algorithms);
  if (options.json) {
    print_json(comparisons, settings.tolerance, enough);
  } else {
    if (settings.tolerance && comparisons.size() > 1) {
      std::cout << "\nFor all " << comparisons.size() << " products: "
                << (enough ? std::string(info(*enough).short_name) + " is enough.\n"
                           : std::string("no algorithm here is good enough.\n"));
    }
    std::cout << '\n' << comparison_legend();
  }
  return settings.tolerance && !enough ? kFailed : kSuccess;
}

}  // namespace

void add_compare(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "compare", "Multiply real matrices under every algorithm: error, digits, time, bits");
  const auto options = std::make_shared<Options>();
  command->add_option("files", options->files, "A.npy B.npy [more pairs]: A * B as numpy.matmul")
      ->type_name("");
  command->add_flag("--transpose-rhs", options->transpose_rhs, "A * B^T instead");
  // One value an occurrence, or the option would swallow the files behind it.
  command->add_option("--gram", options->gram, "A * A^T")
      ->type_name("A.npy")
      ->allow_extra_args(false);
  command
      ->add_option("--distance", options->distance,
                   "Squared distances of A's rows, by |x|^2 + |y|^2 - 2 x.y")
      ->type_name("A.npy")
      ->allow_extra_args(false);
  command->add_option("--algorithms", options->algorithms, "Only these, for example bf16,tf32,fp32")
      ->delimiter(',')
      ->type_name("NAMES")
      ->allow_extra_args(false);
  CLI::Option* tolerance = command->add_option(
      "--tolerance", options->tolerance,
      "Judge the relative error; name the cheapest algorithm that passes (exit code 1 if none)");
  command->add_flag("--bf16", options->bf16, "Read '<u2' files as bfloat16");
  command->add_option("--threads", options->threads, "Threads [all]");
  command->add_option("--repeat", options->rounds, "Timing rounds a row [half a second]");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&action, options, tolerance] {
    options->tolerance_given = tolerance->count() > 0;
    action = [options] { return run(*options); };
  });
}

}  // namespace matprec::cli
