#include "src/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <system_error>

#include "matprec/error.h"
#include "matprec/runtime.h"
#include "src/error_text.h"

namespace matprec {
namespace {

// The targets that a build for this processor family can hold. The fallback has one name by compiler, and
// either is accepted for it.
#if defined(__x86_64__)
constexpr std::array<std::string_view, 6> kTargetNames = {"AVX3",  "AVX2",   "SSE4",
                                                          "SSSE3", "SCALAR", "EMU128"};
#else
constexpr std::array<std::string_view, 3> kTargetNames = {"NEON", "SCALAR", "EMU128"};
#endif

struct Variable {
  std::string_view name;
  void (*parse)(const Variable&, std::string_view value, Environment&);
  std::string_view unset;  // what holds while it is unset
  std::string_view meaning;
};

void parse_default(const Variable& self, std::string_view value, Environment& e) {
  const PrecisionRequest request = parse_precision(value, self.name);
  if (!request.is_default()) e.default_precision = request;
}

void parse_forced(const Variable& self, std::string_view value, Environment& e) {
  const PrecisionRequest request = parse_precision(value, self.name);
  if (!request.is_default()) e.forced = request;
}

void parse_require(const Variable& self, std::string_view value, Environment& e) {
  const PrecisionRequest request = parse_precision(value, self.name);
  if (request.is_default()) {
    const std::span<const std::string_view> known = precision_names().subspan(1);
    throw Error(std::string(self.name) + ": " + in_quotes(value) + " requires nothing; known: " +
                joined(known) + "; nearest: " + std::string(nearest_name(value, known)) +
                "; unset it to require nothing");
  }
  e.require = request;
}

void parse_platform_name(const Variable& self, std::string_view value, Environment& e) {
  e.platform = parse_platform(value, self.name);
}

void parse_target(const Variable& self, std::string_view value, Environment& e) {
  for (const std::string_view name : kTargetNames) {
    if (equal_ignoring_case(name, value)) {
      e.target = name;
      return;
    }
  }
  throw Error(unknown_value_text(self.name, value, kTargetNames));
}

void parse_num_threads(const Variable& self, std::string_view value, Environment& e) {
  int threads = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, threads);
  if (error == std::errc() && rest == end && threads >= 1 && threads <= kMostThreads) {
    e.num_threads = threads;
    return;
  }
  // The nearest accepted number, or one thread where the value is no number.
  int nearest = 1;
  if (rest == end) {
    const bool above = error == std::errc::result_out_of_range ? value[0] != '-' : threads > 0;
    nearest = above ? kMostThreads : 1;
  }
  throw Error(std::string(self.name) + ": unknown value " + in_quotes(value) +
              "; known: whole numbers from 1 to " + std::to_string(kMostThreads) +
              "; nearest: " + std::to_string(nearest));
}

bool parse_switch(const Variable& self, std::string_view value) {
  if (value == "0") return false;
  if (value == "1") return true;
  // What people write instead; the second half means 1.
  constexpr std::array<std::string_view, 8> kSpellings = {"0", "off", "no",  "false",
                                                          "1", "on",  "yes", "true"};
  const std::string_view meant = nearest_name(value, kSpellings);
  const bool on = std::find(kSpellings.begin(), kSpellings.end(), meant) - kSpellings.begin() >= 4;
  throw Error(std::string(self.name) + ": unknown value " + in_quotes(value) +
              "; known: 0, 1; nearest: " + (on ? "1" : "0"));
}

void parse_verbose(const Variable& self, std::string_view value, Environment& e) {
  e.verbose = parse_switch(self, value);
}

void parse_notice(const Variable& self, std::string_view value, Environment& e) {
  e.notice = parse_switch(self, value);
}

void accept_any(const Variable&, std::string_view, Environment&) {}

constexpr std::array<Variable, 9> kVariables = {{
    {"MATPREC_DEFAULT_PRECISION", parse_default, "default",
     "what float32 products run unless the program says otherwise"},
    {"MATPREC_FORCE_PRECISION", parse_forced, "default",
     "what float32 products run whatever the program says"},
    {"MATPREC_PLATFORM", parse_platform_name, "native", "what the levels mean"},
    {"MATPREC_TARGET", parse_target, "best usable", "the best SIMD target that may be used"},
    {"MATPREC_NUM_THREADS", parse_num_threads, "processors this process may use",
     "the most threads of a product"},
    {"MATPREC_VERBOSE", parse_verbose, "0", "1: one line a product on stderr"},
    {"MATPREC_NOTICE", parse_notice, "1",
     "0: no line when a program's default makes products less precise than float32"},
    {"MATPREC_REQUIRE", parse_require, "nothing",
     "the least precise algorithm that float32 products may run"},
    {"MATPREC_GOLDEN_DIR", accept_any, "none",
     "where this library's own tests find reference data"},
}};

// Unset and empty are the same.
std::string_view value_of(const Variable& variable) {
  const char* const value = std::getenv(std::string(variable.name).c_str());
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::vector<UnknownVariable> unknown_variables() {
  std::vector<std::string_view> known;
  for (const Variable& variable : kVariables) known.push_back(variable.name);
  std::vector<UnknownVariable> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("MATPREC_")) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      unknown.push_back({std::string(name), nearest_name(name, known)});
    }
  }
  return unknown;
}

// What the first reading found: an environment, or the error that every call throws.
struct Reading {
  Environment environment;
  std::vector<VariableInfo> infos;
  std::string error;
};

std::unique_ptr<const Reading> read() {
  auto reading = std::make_unique<Reading>();
  try {
    for (const Variable& variable : kVariables) {
      const std::string_view value = value_of(variable);
      const bool set = !value.empty();
      if (set) variable.parse(variable, value, reading->environment);
      reading->infos.push_back(
          {variable.name, set, std::string(set ? value : variable.unset), variable.meaning});
    }
    Environment& e = reading->environment;
    e.unknown = unknown_variables();
    e.silent = !e.default_precision && !e.forced && !e.require && !e.verbose && e.unknown.empty();
  } catch (const Error& error) {
    reading->error = error.what();
  }
  return reading;
}

std::atomic<const Reading*> first_reading = nullptr;

// Not a function-local static: a fork() while another thread initialises one would leave the child
// waiting for ever. Whoever comes first publishes; the reading is never freed, so that destructors
// of static objects can still multiply.
const Reading& reading() {
  const Reading* known = first_reading.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  std::unique_ptr<const Reading> mine = read();
  if (first_reading.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
    known = mine.release();
  }
  return *known;
}

}  // namespace

namespace detail {

std::atomic<const Environment*> valid_environment = nullptr;

const Environment& read_environment() {
  const Reading& known = reading();
  if (!known.error.empty()) throw Error(known.error);
  valid_environment.store(&known.environment, std::memory_order_release);
  return known.environment;
}

}  // namespace detail

std::vector<VariableInfo> variables() {
  environment();
  return reading().infos;
}

}  // namespace matprec
