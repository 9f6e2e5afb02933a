#include "src/cli/error_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "src/cli/error_by_row.h"
#include "src/cli/gnuplot.h"
#include "src/cli/number_text.h"
#include "src/cli/plot_panel.h"

namespace matprec::cli {
namespace {

// Where a name stands: beside its point, or as near as the other names leave room.
struct Label {
  const ComparisonRow* row;
  double decade;
};

// The names of the points that share a number of FMAs, from the top down, a line of text apart.
void move_apart(std::vector<Label>& labels, const Decades& decades) {
  const double line = 0.055 * (decades.high - decades.low);
  double above = decades.high + line;
  for (Label& label : labels) above = label.decade = std::min(label.decade, above - line);
  double below = decades.low - line / 2;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    below = label->decade = std::max(label->decade, below + line);
  }
}

std::string labels_text(const Comparison& comparison, const Decades& decades) {
  std::map<int, std::vector<Label>> by_fmas;
  for (const ComparisonRow& row : comparison.rows) {
    if (!is_drawn(row.error.relative_error)) continue;
    by_fmas[info(row.algorithm).fmas].push_back({&row, std::log10(row.error.relative_error)});
  }
  std::string text;
  for (auto& [fmas, labels] : by_fmas) {
    std::ranges::stable_sort(labels, std::ranges::greater(), &Label::decade);
    move_apart(labels, decades);
    for (const Label& label : labels) {
      text += "set label " + script_string(info(label.row->algorithm).short_name) + " at " +
              std::to_string(fmas) + ",10**(" + fixed(label.decade, 4) + ")" +
              " left offset 1,0 textcolor " + colour_of(label.row->algorithm) + "\n";
    }
  }
  return text;
}

// The rows that have no point, with their errors; "" if there are none.
std::string not_drawn(const Comparison& comparison) {
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    if (is_drawn(row.error.relative_error)) continue;
    text += (text.empty() ? "not drawn: " : ", ") + std::string(info(row.algorithm).short_name) +
            " (" + scientific(row.error.relative_error) + ")";
  }
  return text;
}

std::string cost_panel(const Comparison& comparison, const Frame& frame) {
  std::vector<double> errors;
  int most_fmas = 1;
  std::string blocks, plot = "plot NaN notitle";
  for (const ComparisonRow& row : comparison.rows) {
    const int fmas = info(row.algorithm).fmas;
    most_fmas = std::max(most_fmas, fmas);
    if (!is_drawn(row.error.relative_error)) continue;
    const std::string name = "point" + std::to_string(errors.size());
    errors.push_back(row.error.relative_error);
    blocks += data_block(name, {static_cast<double>(fmas)}, {row.error.relative_error});
    plot += ", $" + name + " using 1:2 with points pointsize 0.8 linecolor " +
            colour_of(row.algorithm) + point_style_of(row.algorithm);
  }
  const Decades decades = decades_of(errors);
  return panel_head(frame, "FMAs per element and step", decades) +
         heading(frame, comparison.title) + "unset key\nset xtics 1\n" +
         "set xrange [0.6:" + std::to_string(most_fmas) + ".9]\n" +
         labels_text(comparison, decades) + "set label " + script_string(not_drawn(comparison)) +
         " at graph 0.99, graph 0.97 right\n" + blocks + plot + "\n";
}

std::string row_panel(const Comparison& comparison, const Frame& frame) {
  const RowPoints points = row_points(comparison.result_shape);
  std::vector<PlotLine> lines;
  std::vector<double> x, all;
  for (const ComparisonRow& row : comparison.rows) {
    lines.push_back(
        {{std::string(info(row.algorithm).short_name)}, row.algorithm, row.error_by_row});
    all.insert(all.end(), row.error_by_row.begin(), row.error_by_row.end());
  }
  const std::size_t count = lines.empty() ? 0 : lines.front().errors.size();
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(static_cast<double>(static_cast<std::int64_t>(i) * points.rows_per_point));
  }
  const std::string axis =
      "row of the result" +
      (points.rows_per_point > 1 ? ", " + std::to_string(points.rows_per_point) + " a point" : "");
  return panel_head(frame, axis, decades_of(all)) +
         "set xrange [0:" + std::to_string(std::max<std::int64_t>(points.rows - 1, 1)) + "]\n" +
         line_panel(frame, x, std::move(lines));
}

}  // namespace

std::string plot_script(const std::vector<Comparison>& comparisons) {
  std::string panels;
  const std::size_t n = comparisons.size();
  for (std::size_t i = 0; i < n; ++i) {
    panels += cost_panel(comparisons[i], frame_of(i, n, 0.09, 0.43)) +
              row_panel(comparisons[i], frame_of(i, n, 0.53, 0.77));
  }
  return picture(n, panels);
}

std::string plot_script(const std::vector<ErrorSeries>& series) {
  std::string panels;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const ErrorSeries& one = series[i];
    const Frame frame = frame_of(i, series.size(), 0.09, 0.77);
    std::vector<PlotLine> lines;
    std::vector<double> all;
    for (const ErrorSeriesRow& row : one.rows) {
      lines.push_back({{std::string(info(row.algorithm).short_name)}, row.algorithm, row.errors});
      all.insert(all.end(), row.errors.begin(), row.errors.end());
    }
    const std::vector<double> x(one.points.begin(), one.points.end());
    panels += panel_head(frame, one.axis, decades_of(all)) + heading(frame, one.title) +
              (one.points_double ? "set logscale x 2\nset format x '%.0f'\n" : "") +
              "set xrange [" + std::to_string(one.points.front()) + ":" +
              std::to_string(one.points.back()) + "]\n" + line_panel(frame, x, std::move(lines));
  }
  return picture(series.size(), panels);
}

}  // namespace matprec::cli
