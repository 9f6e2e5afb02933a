#include "src/cli/plot_panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "src/cli/gnuplot.h"
#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

constexpr std::size_t kWidth = 1000, kPanelHeight = 380;  // SVG units: pixels, where nobody scales

// Colours that colour-blind readers tell apart as well (Okabe and Ito 2008), black last.
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#8B7500", "#000000"};
constexpr std::size_t kColourCount = std::size(kColours);

std::string line_style_of(DotAlgorithm algorithm) {
  return "linecolor " + colour_of(algorithm) + " dashtype " +
         std::to_string(1 + static_cast<std::size_t>(algorithm) / kColourCount);
}

// What the legend says of a line.
std::string legend_of(const PlotLine& line) {
  constexpr std::size_t kRoom = 20;  // letters beside the panel
  std::string all;
  for (const std::string& name : line.names) all += (all.empty() ? "" : ", ") + name;
  if (all.size() <= kRoom) return all;
  return line.names.front() + " and " + std::to_string(line.names.size() - 1) + " more";
}

std::vector<PlotLine> without_twins(std::vector<PlotLine> lines) {
  std::vector<PlotLine> result;
  for (PlotLine& line : lines) {
    const auto twin =
        std::ranges::find_if(result, [&](const PlotLine& l) { return l.errors == line.errors; });
    if (twin == result.end()) {
      result.push_back(std::move(line));
    } else {
      twin->names.push_back(line.names.front());
    }
  }
  return result;
}

}  // namespace

std::string colour_of(DotAlgorithm algorithm) {
  return std::string("rgb '") + kColours[static_cast<std::size_t>(algorithm) % kColourCount] + "'";
}
std::string point_style_of(DotAlgorithm algorithm) {
  return " pointtype " + std::to_string(4 + static_cast<std::size_t>(algorithm) % 12);
}

bool is_drawn(double error) { return error > 0 && std::isfinite(error); }

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

Frame frame_of(std::size_t i, std::size_t n, double left, double right) {
  const double height = 1.0 / static_cast<double>(n);
  const double bottom = 1 - static_cast<double>(i + 1) * height;
  return {left, right, bottom + 0.16 * height, bottom + 0.84 * height};
}

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

std::string heading(const Frame& frame, const std::string& text) {
  return "set label " + script_string(text) + " at screen 0.5, screen " +
         fixed(frame.top + 0.1 * (frame.top - frame.bottom), 4) + " center\n";
}

std::string data_block(const std::string& name, const std::vector<double>& x,
                       const std::vector<double>& y) {
  std::string text = "$" + name + " << end\n";
  for (std::size_t i = 0; i < x.size(); ++i) {
    text += shortest(x[i]) + " " + (is_drawn(y[i]) ? shortest(y[i]) : "NaN") + "\n";
  }
  return text + "end\n";
}

std::string line_panel(const Frame& frame, const std::vector<double>& x,
                       std::vector<PlotLine> all) {
  constexpr std::size_t kMostMarks = 64;  // more would make a band of the line
  const std::vector<PlotLine> lines = without_twins(std::move(all));
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
            " title " + script_string(legend_of(lines[i]) + (any ? "" : " (not drawn)"));
  }
  return "set key at screen " + fixed(frame.right + 0.01, 4) + ", screen " + fixed(frame.top, 4) +
         " left top Left reverse samplen 2\n" + blocks + plot + "\n";
}

std::string picture(std::size_t panel_rows, const std::string& panels) {
  return "set terminal svg noenhanced size " + std::to_string(kWidth) + "," +
         std::to_string(panel_rows * kPanelHeight) +
         " dynamic font 'sans-serif,12' background rgb 'white'\nset multiplot\n" + panels +
         "unset multiplot\n";
}

}  // namespace matprec::cli
