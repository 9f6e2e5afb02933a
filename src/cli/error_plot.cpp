#include "src/cli/error_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "src/cli/error_by_row.h"
#include "src/cli/gnuplot.h"
#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

constexpr int kWidth = 1000, kPanelHeight = 380;  // SVG units: pixels, where nobody scales

// Colours that colour-blind readers tell apart as well (Okabe and Ito 2008), black last.
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#8B7500", "#000000"};
constexpr std::size_t kColourCount = std::size(kColours);

// An algorithm looks the same in every picture.
std::string colour_of(DotAlgorithm algorithm) {
  return std::string("rgb '") + kColours[static_cast<std::size_t>(algorithm) % kColourCount] + "'";
}
std::string line_style_of(DotAlgorithm algorithm) {
  return "linecolor " + colour_of(algorithm) + " dashtype " +
         std::to_string(1 + static_cast<std::size_t>(algorithm) / kColourCount);
}
std::string point_style_of(DotAlgorithm algorithm) {
  return " pointtype " + std::to_string(4 + static_cast<std::size_t>(algorithm) % 12);
}

bool is_drawn(double error) { return error > 0 && std::isfinite(error); }

// The decades that hold all errors that can be drawn, with air above, and below for names.
struct Decades {
  double low = -9, high = 0;
};

Decades decades_of(const std::vector<double>& errors) {
  std::optional<Decades> found;
  for (const double error : errors) {
    if (!is_drawn(error)) continue;
    const double decade = std::log10(error);
    if (!found) found = Decades{decade, decade};
    found->low = std::min(found->low, decade);
    found->high = std::max(found->high, decade);
  }
  const Decades range = found.value_or(Decades{});
  return {std::floor(range.low - 0.6), std::ceil(range.high + 0.2)};
}

struct Line {
  std::vector<std::string> names;
  DotAlgorithm algorithm;
  std::vector<double> errors;

  std::string name() const {
    constexpr std::size_t kRoom = 20;  // letters beside the panel
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    if (all.size() <= kRoom) return all;
    return names.front() + " and " + std::to_string(names.size() - 1) + " more";
  }
};

// Lines that would hide each other become one with all names.
std::vector<Line> without_twins(std::vector<Line> lines) {
  std::vector<Line> result;
  for (Line& line : lines) {
    const auto twin =
        std::ranges::find_if(result, [&](const Line& l) { return l.errors == line.errors; });
    if (twin == result.end()) {
      result.push_back(std::move(line));
    } else {
      twin->names.push_back(line.names.front());
    }
  }
  return result;
}

// Where a panel lies, in parts of the picture, from the bottom left corner.
struct Frame {
  double left, right, bottom, top;
};

std::string panel_head(const Frame& frame, const std::string& axis, const Decades& decades) {
  return "reset\nset encoding utf8\nset border 3\nset tics nomirror font ',10'\nset grid ytics lc "
         "rgb "
         "'#dddddd'\n"
         "set lmargin at screen " +
         fixed(frame.left, 4) + "\nset rmargin at screen " + fixed(frame.right, 4) +
         "\nset bmargin at screen " + fixed(frame.bottom, 4) + "\nset tmargin at screen " +
         fixed(frame.top, 4) + "\nset xlabel " + script_string(axis) +
         "\nset ylabel 'relative error'\nset logscale y\nset format y '%.0e'\nset yrange [1e" +
         fixed(decades.low, 0) + ":1e" + fixed(decades.high, 0) + "]\n";
}

// A heading across the picture, above a frame.
std::string heading(const Frame& frame, const std::string& text) {
  return "set label " + script_string(text) + " at screen 0.5, screen " +
         fixed(frame.top + 0.1 * (frame.top - frame.bottom), 4) + " center\n";
}

// A block of data in the script; what cannot be drawn breaks the line.
std::string data_block(const std::string& name, const std::vector<double>& x,
                       const std::vector<double>& y) {
  std::string text = "$" + name + " << end\n";
  for (std::size_t i = 0; i < x.size(); ++i) {
    text += shortest(x[i]) + " " + (is_drawn(y[i]) ? shortest(y[i]) : "NaN") + "\n";
  }
  return text + "end\n";
}

// A line an algorithm over x, the legend at the right.
std::string line_panel(const Frame& frame, const std::vector<double>& x,
                       const std::vector<Line>& lines) {
  constexpr std::size_t kMostMarks = 64;  // more would make a band of the line
  const bool marks = x.size() <= kMostMarks;
  std::string blocks, plot;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string name = "line" + std::to_string(i);
    const bool any = std::ranges::any_of(lines[i].errors, is_drawn);
    blocks += data_block(name, x, lines[i].errors);
    plot += (plot.empty() ? "plot " : ", ") +
            // What has no point to draw is named in the legend alone.
            (any ? "$" + name + " using 1:2" : "NaN") +
            (marks ? " with linespoints pointsize 0.4 " : " with lines ") +
            line_style_of(lines[i].algorithm) + (marks ? point_style_of(lines[i].algorithm) : "") +
            " title " + script_string(lines[i].name() + (any ? "" : " (not drawn)"));
  }
  return "set key at screen " + fixed(frame.right + 0.01, 4) + ", screen " + fixed(frame.top, 4) +
         " left top Left reverse samplen 2\n" + blocks + plot + "\n";
}

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
  std::vector<Line> lines;
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
         line_panel(frame, x, without_twins(std::move(lines)));
}

std::string picture(int panel_rows, const std::string& panels) {
  return "set terminal svg noenhanced size " + std::to_string(kWidth) + "," +
         std::to_string(panel_rows * kPanelHeight) +
         " dynamic font 'sans-serif,12' background rgb 'white'\nset multiplot\n" + panels +
         "unset multiplot\n";
}

// The frame of panel row i of n, from the top, between these parts of the width.
Frame frame_of(std::size_t i, std::size_t n, double left, double right) {
  const double height = 1.0 / static_cast<double>(n);
  const double bottom = 1 - static_cast<double>(i + 1) * height;
  return {left, right, bottom + 0.16 * height, bottom + 0.84 * height};
}

}  // namespace

std::string plot_script(const std::vector<Comparison>& comparisons) {
  std::string panels;
  const std::size_t n = comparisons.size();
  for (std::size_t i = 0; i < n; ++i) {
    panels += cost_panel(comparisons[i], frame_of(i, n, 0.09, 0.43)) +
              row_panel(comparisons[i], frame_of(i, n, 0.53, 0.77));
  }
  return picture(static_cast<int>(n), panels);
}

std::string plot_script(const std::vector<ErrorSeries>& series) {
  std::string panels;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const ErrorSeries& one = series[i];
    const Frame frame = frame_of(i, series.size(), 0.09, 0.77);
    std::vector<Line> lines;
    std::vector<double> all;
    for (const ErrorSeriesRow& row : one.rows) {
      lines.push_back({{std::string(info(row.algorithm).short_name)}, row.algorithm, row.errors});
      all.insert(all.end(), row.errors.begin(), row.errors.end());
    }
    const std::vector<double> x(one.points.begin(), one.points.end());
    panels += panel_head(frame, one.axis, decades_of(all)) + heading(frame, one.title) +
              (one.points_double ? "set logscale x 2\nset format x '%.0f'\n" : "") +
              "set xrange [" + std::to_string(one.points.front()) + ":" +
              std::to_string(one.points.back()) + "]\n" +
              line_panel(frame, x, without_twins(std::move(lines)));
  }
  return picture(static_cast<int>(series.size()), panels);
}

}  // namespace matprec::cli
