// What it costs to ask which algorithm a product runs, which every product does once.
//
// Prints the median nanoseconds of a call for each place that can decide. The aim is below 20.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "matprec/policy.h"

namespace mp = matprec;

namespace {

constexpr int kCalls = 100000;
constexpr std::size_t kRounds = 31;  // odd, so that the median is one of the samples

// Keeps the compiler from leaving out a call whose answer nobody reads.
void use(const mp::Resolution& resolution) { asm volatile("" ::"g"(&resolution) : "memory"); }

void measure(const char* name, const mp::PrecisionRequest& argument, mp::ElementType type,
             mp::Source expected) {
  if (mp::resolve(argument, type, type).source != expected) {
    std::fprintf(stderr, "resolve_bench: %s did not decide; unset the MATPREC_ variables\n", name);
    std::exit(1);
  }
  std::array<double, kRounds> nanoseconds;
  for (double& sample : nanoseconds) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) use(mp::resolve(argument, type, type));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    sample = time.count() / kCalls;
  }
  std::sort(nanoseconds.begin(), nanoseconds.end());
  std::printf("%-28s %6.1f ns\n", name, nanoseconds[kRounds / 2]);
}

}  // namespace

int main() {
  using enum mp::ElementType;
  measure("built-in", {}, kF32, mp::Source::kBuiltIn);
  measure("argument, algorithm", "tf32", kF32, mp::Source::kArgument);
  measure("argument, level", "high", kF32, mp::Source::kArgument);
  measure("operands", {}, kF64, mp::Source::kOperands);
  mp::set_default_precision("high");
  measure("process, level", {}, kF32, mp::Source::kProcess);
  const mp::ScopedPrecision outer("tf32");
  const mp::ScopedPrecision inner("high");
  measure("scope, level", {}, kF32, mp::Source::kScope);
}
