// Pictures are drawn by the program gnuplot, which is looked for in PATH and need not be there
// otherwise.
#ifndef MATPREC_SRC_CLI_GNUPLOT_H_
#define MATPREC_SRC_CLI_GNUPLOT_H_

#include <string>
#include <string_view>

namespace matprec::cli {

// The program's file. Errors: it is not in PATH; the text names Debian's package.
std::string require_gnuplot();

// What gnuplot draws for a script that sets no output. No shell is involved; the user's own
// settings are not read. Errors: gnuplot is not there or refuses the script.
std::string svg_of_script(const std::string& script);

// A text of any bytes as a string of the script: quoted so that nothing in it is a command, on one
// line, UTF-8, cut to what a picture has room for.
std::string script_string(std::string_view text);

// Ends a gnuplot that is at work. For signal handlers: it calls nothing but kill.
void stop_gnuplot() noexcept;

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_GNUPLOT_H_
