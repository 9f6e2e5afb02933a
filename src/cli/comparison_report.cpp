#include "src/cli/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "matprec/runtime.h"
#include "src/cli/error_by_row.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"

namespace matprec::cli {
namespace {

std::string digits_text(const ErrorSummary& error) {
  if (error.digits) return fixed(*error.digits, 1);
  if (std::isnan(error.relative_error)) return "-";
  return error.relative_error == 0 ? "all" : "none";
}

std::string milliseconds_text(double milliseconds) {
  return fixed(milliseconds, milliseconds < 10 ? 3 : milliseconds < 1000 ? 1 : 0);
}

std::string error_table(const Comparison& comparison, bool judged) {
  using Align = Table::Align;
  std::vector<Table::Column> columns = {{"algorithm", Align::kLeft},
                                        {"relative error"},
                                        {"digits"},
                                        {"worst entry"},
                                        {"at"},
                                        {"condition"},
                                        {"bias"},
                                        {"FMAs"}};
  if (comparison.timed) columns.insert(columns.end(), {{"ms"}, {"time/fp32"}});
  if (judged) columns.push_back({"tolerance", Align::kLeft});
  Table table(columns);
  for (const ComparisonRow& row : comparison.rows) {
    const AlgorithmInfo& algorithm = info(row.algorithm);
    const bool none = !row.error.worst;
    std::vector<std::string> cells = {std::string(algorithm.short_name),
                                      scientific(row.error.relative_error),
                                      digits_text(row.error),
                                      none ? "-" : scientific(row.error.worst->error, 1),
                                      none ? "-" : to_string(row.error.worst->index),
                                      none ? "-" : scientific(row.error.worst->condition, 1),
                                      none ? "-" : scientific(row.error.bias, 1),
                                      std::to_string(algorithm.fmas)};
    if (comparison.timed) {
      cells.insert(cells.end(), {milliseconds_text(row.milliseconds), fixed(row.ratio_to_fp32, 2)});
    }
    if (judged) cells.push_back(row.passes ? "ok" : "too coarse");
    table.add_row(cells);
  }
  return table.text();
}

std::string bits_table(const Comparison& comparison) {
  using Align = Table::Align;
  Table table({{"algorithm", Align::kLeft},
               {"fingerprint", Align::kLeft},
               {"hash of result", Align::kLeft},
               {"", Align::kLeft}});
  for (const ComparisonRow& row : comparison.rows) {
    table.add_row({std::string(info(row.algorithm).short_name), shortest(row.fingerprint),
                   hexadecimal(row.hash),
                   row.same_bits_as.empty() ? "" : "same bits as " + row.same_bits_as});
  }
  return table.text();
}

// What kept entries out of the norms, a line each.
std::string remarks(const Comparison& comparison) {
  std::string text;
  if (comparison.rows.empty()) return text;
  const ErrorSummary& any = comparison.rows.front().error;
  if (any.entries == 0) {
    text += "The result " + to_string(comparison.result_shape) + " is empty: nothing to compare.\n";
  }
  if (any.not_finite > 0) {
    text += "The reference is not finite (NaN or infinite) in " + std::to_string(any.not_finite) +
            " of " + counted(any.entries, "entry", "entries") +
            "; these are left out of the errors.\n";
  }
  for (const ComparisonRow& row : comparison.rows) {
    if (row.error.lost == 0) continue;
    text +=
        std::string(info(row.algorithm).short_name) + ": " +
        counted(row.error.lost, "entry", "entries") +
        (row.error.overflowed == row.error.lost
             ? " overflowed: infinite or NaN where the reference is finite; the first at "
             : " became or stopped being NaN or infinite, unlike the reference; the first at ") +
        to_string(row.error.first_lost) + ".\n";
  }
  return text;
}

std::string verdict(const Comparison& comparison, double tolerance) {
  const ComparisonRow* best = comparison.cheapest();
  if (best == nullptr) {
    return "Tolerance " + scientific(tolerance) + ": no algorithm here is good enough.\n";
  }
  const AlgorithmInfo& row = info(best->algorithm);
  return "Tolerance " + scientific(tolerance) + ": " + std::string(row.short_name) + " (" +
         std::string(row.name) + ") is enough, with " + counted(row.fmas, "FMA", "FMAs") +
         " a step and relative error " + scientific(best->error.relative_error) + ".\n";
}

std::string rounds_text(const Comparison& comparison) {
  if (comparison.rows.empty()) return "";
  int least = comparison.rows.front().rounds, most = least;
  for (const ComparisonRow& row : comparison.rows) {
    least = std::min(least, row.rounds);
    most = std::max(most, row.rounds);
  }
  return ", median of " + std::to_string(least) +
         (least == most ? "" : " to " + std::to_string(most)) + (most == 1 ? " round" : " rounds");
}

std::string_view kind_name(ProblemKind kind) {
  constexpr std::string_view kNames[] = {"product", "gram", "distance"};
  return kNames[static_cast<std::size_t>(kind)];
}

io::Json row_json(const ComparisonRow& row, bool timed, bool judged) {
  const AlgorithmInfo& algorithm = info(row.algorithm);
  const ErrorSummary& error = row.error;
  io::Json result = {
      {"algorithm", algorithm.name},
      {"short_name", algorithm.short_name},
      {"relative_error", json_number(error.relative_error)},
      {"worst", io::Json()},
      {"bias", json_number(error.bias)},
      {"fmas", algorithm.fmas},
      {"fingerprint", json_number(row.fingerprint)},
      {"hash", hexadecimal(row.hash)},
      {"same_bits_as",
       row.same_bits_as.empty() ? io::Json() : io::Json(row.same_bits_as)},
      {"entries_lost", error.lost},
      {"entries_overflowed", error.overflowed},
      {"error_by_row", io::Json::array()}};
  for (const double e : row.error_by_row) result["error_by_row"].push_back(json_number(e));
  if (timed) {
    result["milliseconds"] = json_number(row.milliseconds);
    result["ratio_to_fp32"] = json_number(row.ratio_to_fp32);
    result["rounds"] = row.rounds;
    // The last bit of a logarithm is the C library's, so it is left out with what is the machine's.
    result["digits"] = error.digits ? json_number(*error.digits) : io::Json();
  }
  if (error.worst) {
    result["worst"] = {{"error", json_number(error.worst->error)},
                       {"index", json_dims(error.worst->index)},
                       {"condition", json_number(error.worst->condition)}};
  }
  if (judged) result["passes"] = row.passes;
  return result;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, std::optional<double> tolerance) {
  std::string text = comparison.title + "\nresult " + to_string(comparison.result_shape) + " " +
                     std::string(to_string(comparison.result_type));
  if (comparison.timed) {
    text += " on " + std::string(current_target()) + ", at most " +
            counted(num_threads(), "thread", "threads") + rounds_text(comparison);
  }
  text += "\nreference: " + comparison.reference + "\n\n";
  text += error_table(comparison, tolerance.has_value()) + '\n' + bits_table(comparison);
  const std::string notes = remarks(comparison);
  if (!notes.empty()) text += '\n' + notes;
  if (tolerance) text += '\n' + verdict(comparison, *tolerance);
  return text;
}

io::Json comparison_json(const Comparison& comparison, std::optional<double> tolerance) {
  const RowPoints points = row_points(comparison.result_shape);
  io::Json result = {{"title", comparison.title},
                     {"kind", kind_name(comparison.kind)},
                     {"reference", comparison.reference},
                     {"result_shape", json_dims(comparison.result_shape)},
                     {"result_type", to_string(comparison.result_type)},
                     {"result_rows", points.rows},
                     {"result_rows_per_point", points.rows_per_point},
                     {"rows", io::Json::array()}};
  for (const ComparisonRow& row : comparison.rows) {
    result["rows"].push_back(row_json(row, comparison.timed, tolerance.has_value()));
  }
  if (!comparison.rows.empty()) {
    result["entries"] = comparison.rows.front().error.entries;
    result["reference_not_finite"] = comparison.rows.front().error.not_finite;
  }
  if (tolerance) {
    const ComparisonRow* best = comparison.cheapest();
    result["enough"] = best ? io::Json(info(best->algorithm).name) : io::Json();
  }
  return result;
}

std::string comparison_legend(bool timed) {
  return std::string(
             "relative error ||C-R|| / ||R|| (Frobenius norms, R the reference); digits -log10 of "
             "it;\n"
             "worst entry |C-R| / (|A||B|), with its index and condition (|A||B|) / |R|;\n"
             "bias mean(C-R) / mean|R|; FMAs an element and step") +
         (timed ? "; ms median; time/fp32 median of ratios timed in pairs" : "") +
         ";\nfingerprint 1 * (1 + 2^-9 + 2^-17 + 2^-23) under the algorithm.\n";
}

}  // namespace matprec::cli
