#include "src/dot/result_type.h"

#include <complex>
#include <sstream>
#include <string>

#include "matprec/error.h"
#include "src/error_text.h"

namespace matprec {
namespace {

std::string pair_text(ElementType lhs, ElementType rhs) {
  return std::string(to_string(lhs)) + " and " + std::string(to_string(rhs));
}

}  // namespace

ElementType result_type(ElementType lhs, ElementType rhs) {
  if (is_integer(lhs) && is_integer(rhs)) return ElementType::kS32;
  if (is_integer(lhs) || is_integer(rhs)) throw integer_with_float(lhs, rhs);
  const bool either_double =
      real_type(lhs) == ElementType::kF64 || real_type(rhs) == ElementType::kF64;
  if (is_complex(lhs) || is_complex(rhs)) {
    return either_double ? ElementType::kC128 : ElementType::kC64;
  }
  if (either_double) return ElementType::kF64;
  // Different narrow types have no common one, and an 8-bit float is too narrow for any sum.
  return lhs == rhs && !is_float8(lhs) ? lhs : ElementType::kF32;
}

namespace contraction {
namespace {

std::string_view kind_of(ElementType type) {
  return is_integer(type) ? "an integer type" : is_complex(type) ? "a complex type" : "a real float type";
}

std::string number_text(std::complex<double> x) {
  std::ostringstream text;
  text << x.real();
  if (x.imag() != 0) text << (x.imag() < 0 ? "" : "+") << x.imag() << "i";
  return text.str();
}

void check_factor(std::string_view op, std::string_view name, std::complex<double> factor,
                  double absent, ElementType out) {
  if (is_complex(out) || factor == absent) return;
  if (!is_integer(out) && factor.imag() == 0) return;
  throw Error(std::string(op) + ": " + std::string(name) + " is " + number_text(factor) +
              ", but the result is " + std::string(to_string(out)) + ", which takes " +
              (is_integer(out) ? "none; leave it " + number_text(absent) : "a real one"));
}

void check_input(std::string_view op, std::string_view name, const std::optional<TensorView>& input,
                 ElementType out) {
  if (!input) return;
  const ElementType type = input->type();
  const bool fits = !is_integer(type) && !is_integer(out) && (is_complex(out) || !is_complex(type));
  if (fits) return;
  throw Error(std::string(op) + ": " + std::string(name) + " has type " +
              std::string(to_string(type)) + ", but the result is " + std::string(to_string(out)) +
              (is_integer(out) ? ", which takes no " + std::string(name)
                               : "; expected " + std::string(kind_of(out)) +
                                     (is_complex(out) ? " or a real float type" : "")));
}

}  // namespace

void check_result_type(std::string_view op, ElementType out, ElementType lhs, ElementType rhs) {
  const ElementType natural = result_type(lhs, rhs);
  if (is_integer(out) == is_integer(natural) && is_complex(out) == is_complex(natural)) return;
  throw Error(std::string(op) + ": a product of " + pair_text(lhs, rhs) + " has no result of type " +
              std::string(to_string(out)) + "; expected " + std::string(kind_of(natural)) +
              " (without a preferred one it is " + std::string(to_string(natural)) + ")");
}

void check_epilogue_types(std::string_view op, ElementType out, const DotEpilogue& epilogue) {
  check_factor(op, "alpha", epilogue.alpha, 1, out);
  check_factor(op, "beta", epilogue.beta, 0, out);
  if (epilogue.beta != 0.0) check_input(op, "c", epilogue.c, out);
  check_input(op, "bias", epilogue.bias, out);
}

}  // namespace contraction
}  // namespace matprec
