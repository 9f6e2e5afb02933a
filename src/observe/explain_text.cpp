// Explanations, bounds and trace events as text.
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

#include "matprec/derivatives.h"
#include "matprec/error.h"
#include "matprec/explain.h"
#include "src/error_text.h"
#include "src/policy/choice.h"

namespace matprec {
namespace {

constexpr std::int64_t kChunk = 128;  // steps summed in one chain, by MP-ACC-1

// The error of one accumulation step. Sums in float16 and bfloat16 are rounded to float32 first.
double step_error(PrecisionType accumulation) {
  const double float32 = std::ldexp(1.0, -24);
  switch (accumulation) {
    case PrecisionType::kF64:
      return std::ldexp(1.0, -53);
    case PrecisionType::kF16:
    case PrecisionType::kTF32:
      return (1 + std::ldexp(1.0, -11)) * (1 + float32) - 1;
    case PrecisionType::kBF16:
      return (1 + std::ldexp(1.0, -8)) * (1 + float32) - 1;
    case PrecisionType::kS32:
      return 0;
    case PrecisionType::kF32:
    case PrecisionType::kF8:
      break;
  }
  return float32;
}

double product_error(const AlgorithmInfo& row) {
  double sum = 0;
  for (const int exponent : row.error_exponents) {
    if (exponent != 0) sum += std::ldexp(1.0, exponent);
  }
  return sum;
}

int ceil_log2(std::int64_t n) {
  int log = 0;
  while (log < 62 && (std::int64_t{1} << log) < n) ++log;
  return log;
}

// Two digits, rounded up: a bound must not be shown smaller than it is.
std::string bound_text(double bound) {
  if (bound > 0 && std::isfinite(bound)) {
    const double unit = std::pow(10.0, std::floor(std::log10(bound)) - 1);
    bound = std::ceil(bound / unit) * unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", bound);
  return text;
}

std::string count_text(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_narrower(ElementType result, PrecisionType sum) {
  const ElementType real = real_type(result);
  return real != ElementType::kF64 && (sum == PrecisionType::kF64 || real != ElementType::kF32);
}

std::string types_text(ElementType lhs, ElementType rhs) {
  return std::string(to_string(lhs)) + " x " + std::string(to_string(rhs));
}

std::string shape_text(const ProductShape& shape) {
  std::string text = shape.batch == 1 ? "" : std::to_string(shape.batch) + " times ";
  text += std::to_string(shape.m) + " x " + std::to_string(shape.k) + " by ";
  return text + std::to_string(shape.k) + " x " + std::to_string(shape.n);
}

// What one side of a pair asks for.
std::string side_text(Precision side, const Explanation& e) {
  if (side == Precision::kDefault) return "what lies further out";
  return std::string(to_string(e.levels[static_cast<std::size_t>(side) - 1]));
}

std::string pair_line(const Explanation& e) {
  const PrecisionRequest& pair = e.resolution.request;
  return "\n  the pair " + to_string(pair) + " asks for " + side_text(pair.lhs_level(), e) +
         " and " + side_text(pair.rhs_level(), e) + ": the more precise of the two counts";
}

}  // namespace

double error_factor(DotAlgorithm algorithm, std::int64_t k) {
  if (algorithm != DotAlgorithm::kInteger) check_sound(algorithm, "error_factor");
  if (k < 0) throw Error("error_factor: k is " + std::to_string(k) + "; expected 0 or more");
  if (k == 0) return 0;  // an empty sum is +0, exactly
  const AlgorithmInfo& row = info(algorithm);
  const std::int64_t chunks = k / kChunk + (k % kChunk != 0 ? 1 : 0);
  const double steps = static_cast<double>(kChunk * row.fmas + ceil_log2(chunks));
  const double u = step_error(row.accumulation);
  const double gamma = steps * u / (1 - steps * u);
  const double u_alg = product_error(row);
  return u_alg + (1 + std::ldexp(1.0, -15)) * (1 + u_alg) * gamma;
}

std::string to_string(const Explanation& e) {
  const bool integers = e.resolution.algorithm == DotAlgorithm::kInteger;
  std::string text = to_string(e.resolution) + ", on " + e.target + ", ";
  text += integers ? std::string("exact modulo 2^32")
                   : count_text(e.fmas, "FMA") + " per element and step, |error| <= " +
                         bound_text(e.error_factor) + " * (|A||B|)";
  if (!integers && is_narrower(e.out_type, info(e.resolution.algorithm).accumulation)) {
    text += " and the rounding of the sum to " + std::string(to_string(e.out_type));
  }
  text += "\n  product: " + shape_text(e.shape) + ", " + types_text(e.lhs_type, e.rhs_type) +
          " -> " + std::string(to_string(e.out_type));
  text += "\n  path: " + e.path + ", " + count_text(e.threads, "thread");
  text += "\n  levels here: fastest " + std::string(to_string(e.levels[0])) + ", high " +
          std::string(to_string(e.levels[1])) + ", highest " + std::string(to_string(e.levels[2]));
  if (!e.reached) {
    text += "\n  levels and defaults do not reach " + types_text(e.lhs_type, e.rhs_type) +
            " products: they run by their operand types";
    if (!integers) text += " unless the call itself names an algorithm";
  }
  if (e.resolution.request.is_pair()) text += pair_line(e);
  return text;
}

std::string to_string(const DotVjpExplanation& e) {
  return "forward: " + to_string(e.forward) + "\ncotangent of lhs: " + to_string(e.lhs) +
         "\ncotangent of rhs: " + to_string(e.rhs);
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << to_string(explanation);
}

std::string to_string(const TraceEvent& event) {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f us", event.microseconds);
  std::string text(event.op);
  text += ' ';
  text += to_string(event.lhs_shape) + " x " + to_string(event.rhs_shape) + " -> " +
          to_string(event.out_shape) + ", " + types_text(event.lhs_type, event.rhs_type) + " -> " +
          std::string(to_string(event.out_type)) + ", " + to_string(event.resolution) + ", on ";
  text += event.target;
  text += ", " + count_text(event.threads, "thread") + ", " + time;
  if (event.caller.file != nullptr) text += ", called" + at_location(event.caller);
  if (!event.label.empty()) text += ", label " + in_quotes(event.label);
  return text;
}

}  // namespace matprec
