#include "src/cli/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/child_process.h"

namespace matprec::cli {
namespace {

using testing::in_child;
using namespace std::chrono_literals;

void long_work() {
  Progress progress("work", 0ms);
  progress.report(3, 7, "things");
  std::this_thread::sleep_for(300ms);  // longer than the line's period
}

void short_work() { Progress("work").report(1, 2); }

// What `work` writes to a terminal.
std::string on_a_terminal(void (*work)()) {
  return in_child({},
                  [work]() -> std::string {
                    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
                    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
                      return "no terminal";
                    dup2(open(ptsname(master), O_RDWR | O_NOCTTY), STDERR_FILENO);
                    work();
                    char buffer[4096];
                    const ssize_t got = read(master, buffer, sizeof buffer);
                    return got < 0 ? "" : std::string(buffer, static_cast<std::size_t>(got));
                  })
      .out;
}

TEST(Progress, IsRenewedAndWipedOnATerminal) {
  const std::string text = on_a_terminal(long_work);
  EXPECT_NE(text.find("work: 3 of 7 things, 0 s"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(Progress, IsSilentAboutShortWork) { EXPECT_EQ(on_a_terminal(short_work), ""); }

TEST(Progress, IsSilentElsewhere) {
  EXPECT_EQ(in_child({},
                     [] {
                       long_work();
                       return std::string();
                     })
                .err,
            "");
}

}  // namespace
}  // namespace matprec::cli
