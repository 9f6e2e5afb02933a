// The parts of which pictures of errors are made, as script for gnuplot: frames, axes, lines,
// looks.
#ifndef MATPREC_SRC_CLI_PLOT_PANEL_H_
#define MATPREC_SRC_CLI_PLOT_PANEL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"

namespace matprec::cli {

// An algorithm looks the same in every picture.
std::string colour_of(DotAlgorithm algorithm);
std::string point_style_of(DotAlgorithm algorithm);

// A logarithmic axis has no place for 0, infinity and NaN.
bool is_drawn(double error);

// The decades that hold all errors that can be drawn, with air above, and below for names.
struct Decades {
  double low = -9, high = 0;
};
Decades decades_of(const std::vector<double>& errors);

// Where a panel lies, in parts of the picture, from the bottom left corner.
struct Frame {
  double left, right, bottom, top;
};
// The frame of panel row i of n, from the top, between these parts of the width.
Frame frame_of(std::size_t i, std::size_t n, double left, double right);

// What opens a panel: its axes, the errors upwards.
std::string panel_head(const Frame& frame, const std::string& axis, const Decades& decades);
// A heading across the picture, above a frame.
std::string heading(const Frame& frame, const std::string& text);
// Data of the script as $name; what cannot be drawn breaks the line.
std::string data_block(const std::string& name, const std::vector<double>& x,
                       const std::vector<double>& y);

// The errors of an algorithm, or of several that have the same.
struct PlotLine {
  std::vector<std::string> names;
  DotAlgorithm algorithm;
  std::vector<double> errors;
};
// What closes a panel: its lines over x, with the legend at the right. Lines that would hide each
// other become one with all names.
std::string line_panel(const Frame& frame, const std::vector<double>& x,
                       std::vector<PlotLine> lines);

// The picture of so many rows of panels.
std::string picture(std::size_t panel_rows, const std::string& panels);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_PLOT_PANEL_H_
