#include "src/dot/backward.h"

#include <string>

#include "matprec/error.h"
#include "src/dot/dot_shape.h"
#include "src/error_text.h"

namespace matprec::contraction {

void refuse_integers(std::string_view op, const Resolution& forward) {
  if (forward.algorithm != DotAlgorithm::kInteger) return;
  throw Error(std::string(op) + ": the operands are integers, which have no derivatives; convert them to floats");
}

Resolution backward(const PrecisionRequest& request, const Resolution& forward, ElementType out, ElementType other) {
  if (!request.is_default()) return resolve(request, out, other);
  Resolution result = forward;
  if (!rounds_operands(forward.algorithm)) result.algorithm = DotAlgorithm::kF32_F32_F32;  // 8-bit floats
  return result;
}

void check_cotangent(std::string_view op, const TensorView& cotangent, const Dims& shape, ElementType out) {
  check_view(op, "cotangent", cotangent);
  if (cotangent.shape() != shape) {
    throw Error(std::string(op) + ": cotangent has shape " + to_string(cotangent.shape()) +
                ", but the result has " + to_string(shape));
  }
  if (is_integer(cotangent.type()) || is_complex(cotangent.type()) != is_complex(out)) {
    throw Error(std::string(op) + ": cotangent has type " + std::string(to_string(cotangent.type())) +
                ", but the result is " + std::string(to_string(out)) + "; the cotangent of a " +
                (is_complex(out) ? "complex result is complex" : "real result is a real float"));
  }
}

ElementType cotangent_type(std::string_view op, const CotangentOptions& options, ElementType operand) {
  const ElementType type = options.type.value_or(operand);
  if (!is_element_type(type)) check_enumerator(std::string(op) + ": type", type);
  if (is_integer(type) || is_complex(type) != is_complex(operand)) {
    throw Error(std::string(op) + ": type is " + std::string(to_string(type)) + ", but the operand is " +
                std::string(to_string(operand)) + "; its cotangent is a " +
                (is_complex(operand) ? "complex type" : "real float type"));
  }
  return type;
}

}  // namespace matprec::contraction
