#include "src/cli/compare_options.h"

#include <algorithm>
#include <utility>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "src/cli/error_series.h"
#include "src/cli/gnuplot.h"
#include "src/cli/operand.h"
#include "src/io/output_file.h"

namespace matprec::cli {
namespace {

// A level stands for what it means on the platform in force, "default" for what runs here.
DotAlgorithm algorithm_named(const std::string& name) {
  const PrecisionRequest request = parse_precision(name, "--algorithms");
  return resolve(request, ElementType::kF32, ElementType::kF32).algorithm;
}

}  // namespace

std::vector<Option> compare_options(CompareOptions& options) {
  return {
      {"files", &options.files,
       "A B [more pairs]: A * B as numpy.matmul; each a.npy or w.safetensors:TENSOR, with .T behind "
       "it the transpose",
       ""},
      {"--transpose-rhs", &options.transpose_rhs, "A * B^T instead"},
      {"--gram", &options.gram, "A * A^T", "A"},
      {"--distance", &options.distance,
       "Squared distances of A's rows, by |x|^2 + |y|^2 - 2 x.y", "A"},
      {"--series", &options.series,
       "Normal data made here: error over the length of the sums (k) or over the size of the inputs "
       "(scale)",
       "k|scale"},
      {"--algorithms", &options.algorithms, "Only these, for example bf16,tf32,fp32", "NAMES"},
      {"--tolerance", &options.tolerance,
       "Judge the relative error; name the cheapest algorithm that passes (exit code 1 if none)"},
      {"--bf16", &options.bf16, "Read '<u2' files as bfloat16"},
      {"--threads", WholeNumber{&options.threads, "as many as the library would use"},
       "Threads [all]"},
      {"--repeat", WholeNumber{&options.rounds, "as many as fit into half a second"},
       "Timing rounds a row [half a second]"},
      {"--plot", &options.plot, "Draw the errors, by the program gnuplot", "FILE.svg"},
      {"--reproducible", &options.reproducible,
       "Leave out what depends on the machine: times, threads, target"},
      {"--json", &options.json, "Print JSON"},
  };
}

void check(const CompareOptions& options) {
  const bool matrices =
      !options.files.empty() || !options.gram.empty() || !options.distance.empty();
  if (options.files.size() % 2 != 0) {
    // Of a .safetensors file without a tensor's name, its own error says more.
    if (options.files.back().ends_with(".safetensors")) read_operand(options.files.back(), false);
    throw Error(
        "matprec compare: \"" + options.files.back() +
        "\" has no partner; give files in pairs A.npy B.npy, or --gram A.npy, or --distance A.npy");
  }
  if (!matrices && options.series.empty()) {
    throw Error(
        "matprec compare: no matrices; give A.npy B.npy, or --gram A.npy, or --distance A.npy, or "
        "--series k");
  }
  if (!options.series.empty() && (matrices || options.tolerance)) {
    throw Error(std::string("matprec compare: --series makes its own matrices") +
                (matrices ? " and takes no files" : "; there is no --tolerance to judge them by"));
  }
  if (options.rounds > 0 && (options.reproducible || !options.series.empty())) {
    throw Error(std::string("matprec compare: --repeat is for times, and none are taken with ") +
                (options.reproducible ? "--reproducible" : "--series"));
  }
  if (options.transpose_rhs && options.files.empty()) {
    throw Error("matprec compare: --transpose-rhs is for pairs A.npy B.npy, and there are none");
  }
  if (options.bf16 && !matrices) {
    throw Error("matprec compare: --bf16 is for files, and there are none");
  }
  for (const std::string& name : options.series) require_series(name);
  if (!options.plot) return;
  if (!options.plot->ends_with(".svg")) {
    throw Error("matprec compare: --plot \"" + *options.plot +
                "\" does not end in .svg, which is what is drawn");
  }
  require_gnuplot();
  io::require_writable(*options.plot);
}

std::vector<DotAlgorithm> chosen_algorithms(const std::vector<std::string>& lists) {
  std::vector<DotAlgorithm> chosen;
  if (lists.empty()) {
    for (const AlgorithmInfo& row : kAlgorithms) {
      if (rounds_operands(row.algorithm)) chosen.push_back(row.algorithm);
    }
  }
  for (const std::string& list : lists) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const DotAlgorithm algorithm = algorithm_named(list.substr(begin, end - begin));
      if (std::ranges::find(chosen, algorithm) == chosen.end()) chosen.push_back(algorithm);
      begin = end + 1;
    }
  }
  return chosen;
}

std::vector<ComparisonProblem> problems_of(const CompareOptions& options) {
  const auto read = [&](const std::string& argument) {
    return read_operand(argument, options.bf16);
  };
  std::vector<ComparisonProblem> problems;
  for (std::size_t i = 0; i < options.files.size(); i += 2) {
    Operand lhs = read(options.files[i]);  // the first to be missing is the first to be named
    problems.push_back(ComparisonProblem::product(std::move(lhs), read(options.files[i + 1]),
                                                  options.transpose_rhs));
  }
  for (const std::string& file : options.gram) {
    problems.push_back(ComparisonProblem::gram(read(file)));
  }
  for (const std::string& file : options.distance) {
    problems.push_back(ComparisonProblem::distance(read(file)));
  }
  return problems;
}

}  // namespace matprec::cli
