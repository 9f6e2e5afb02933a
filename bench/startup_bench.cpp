// What linking the library costs a program that never uses it: the time from start to exit.
//
//   startup_bench WITHOUT WITH
//
// Starts the two programs by turns and prints the median of each and of the paired differences.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kRounds = 301;  // odd, so that the median is one of the samples

double milliseconds_to_run(char* program) {
  char* arguments[] = {program, nullptr};
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 1;
  if (posix_spawn(&child, program, nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "startup_bench: %s did not run\n", program);
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: startup_bench PROGRAM_WITHOUT PROGRAM_WITH\n");
    return 2;
  }
  std::vector<double> without, with, difference;
  for (int i = 0; i < kRounds; ++i) {
    without.push_back(milliseconds_to_run(argv[1]));
    with.push_back(milliseconds_to_run(argv[2]));
    difference.push_back(with.back() - without.back());
  }
  std::printf("without the library %.3f ms, with it %.3f ms, paired difference %.3f ms\n",
              median(without), median(with), median(difference));
}
