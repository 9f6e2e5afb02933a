// `matprec compare`: real matrices in, a table out, and a picture where one is asked for.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/compare_options.h"
#include "src/cli/comparison.h"
#include "src/cli/comparison_report.h"
#include "src/cli/error_plot.h"
#include "src/cli/error_series.h"
#include "src/cli/error_series_report.h"
#include "src/cli/exit_code.h"
#include "src/cli/free_choice.h"
#include "src/cli/gnuplot.h"
#include "src/cli/number_text.h"
#include "src/io/json.h"
#include "src/io/output_file.h"

namespace matprec::cli {
namespace {

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

// What opens every document, unless it must be the same on every machine.
io::Json machine_json(const CompareOptions& options) {
  if (options.reproducible) return io::Json::object();
  const Resolution here = effective();
  return {{"default",
           {{"algorithm", to_string(here.algorithm)},
            {"source", to_string(here.source)},
            {"text", to_string(here)}}},
          {"target", current_target()},
          {"threads", num_threads()}};
}

void print_heading(const CompareOptions& options) {
  if (options.json || options.reproducible) return;
  std::cout << "default here: " << to_string(effective()) << "\n\n" << std::flush;
}

void print_json(const CompareOptions& options, const std::vector<Comparison>& comparisons,
                std::optional<DotAlgorithm> enough) {
  io::Json result = machine_json(options);
  result["comparisons"] = io::Json::array();
  for (const Comparison& comparison : comparisons) {
    result["comparisons"].push_back(comparison_json(comparison, options.tolerance));
  }
  if (options.tolerance) {
    result["tolerance"] = *options.tolerance;
    result["enough"] = enough ? io::Json(to_string(*enough)) : io::Json();
  }
  std::cout << json_text(result) << '\n';
}

void draw(const CompareOptions& options, const std::string& script) {
  const std::string svg = svg_of_script(script);
  io::OutputFile file(*options.plot);
  file.append(svg);
  file.finish();
}

int run_products(const CompareOptions& options) {
  const ComparisonSettings settings{.algorithms = chosen_algorithms(options.algorithms),
                                    .tolerance = options.tolerance,
                                    .timed = !options.reproducible,
                                    .rounds = options.rounds};
  const std::vector<ComparisonProblem> problems = problems_of(options);
  print_heading(options);
  std::vector<Comparison> comparisons;
  for (const ComparisonProblem& problem : problems) {
    comparisons.push_back(compare(problem, settings));
    if (!options.json) {
      std::cout << comparison_text(comparisons.back(), settings.tolerance) << '\n' << std::flush;
    }
  }
  const std::optional<DotAlgorithm> enough = enough_for_all(comparisons, settings.algorithms);
  if (options.json) {
    print_json(options, comparisons, enough);
  } else {
    if (settings.tolerance && comparisons.size() > 1) {
      std::cout << "For all " << comparisons.size() << " products: "
                << (enough ? std::string(info(*enough).short_name) + " is enough.\n\n"
                           : std::string("no algorithm here is good enough.\n\n"));
    }
    std::cout << comparison_legend(settings.timed);
  }
  if (options.plot) draw(options, plot_script(comparisons));
  return settings.tolerance && !enough ? kFailed : kSuccess;
}

int run_series(const CompareOptions& options) {
  const std::vector<DotAlgorithm> algorithms = chosen_algorithms(options.algorithms);
  print_heading(options);
  std::vector<ErrorSeries> all;
  for (const std::string& name : options.series) {
    all.push_back(error_series(name, algorithms));
    if (options.json) continue;
    std::cout << (all.size() > 1 ? "\n" : "") << error_series_text(all.back()) << std::flush;
  }
  if (options.json) {
    io::Json result = machine_json(options);
    result["series"] = io::Json::array();
    for (const ErrorSeries& series : all) result["series"].push_back(error_series_json(series));
    std::cout << json_text(result) << '\n';
  }
  if (options.plot) draw(options, plot_script(all));
  return kSuccess;
}

int run(const CompareOptions& options) {
  check(options);
  require_free_choice("matprec compare");
  set_num_threads(options.threads);
  return options.series.empty() ? run_products(options) : run_series(options);
}

}  // namespace

Command compare_command() {
  const auto options = std::make_shared<CompareOptions>();
  return {"compare", "Multiply real matrices under every algorithm: error, digits, time, bits",
          compare_options(*options), [options] { return run(*options); }};
}

}  // namespace matprec::cli
