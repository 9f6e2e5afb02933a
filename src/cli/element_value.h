// Single elements of tensors as numbers and as bits, by plain integer decoding.
//
// Judges and measures use this and not the library's conversions, which are among what is judged.
#ifndef MATPREC_SRC_CLI_ELEMENT_VALUE_H_
#define MATPREC_SRC_CLI_ELEMENT_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "matprec/dims.h"
#include "matprec/element_type.h"
#include "matprec/tensor.h"

namespace matprec::cli {

// Complex elements as pairs of real ones along a new last dimension; the others as they are.
Tensor real_parts(const Tensor& tensor);

// Element i of the row-major order; of a type that is not complex.
std::uint64_t bits_at(const Tensor& tensor, std::int64_t i);
double value_at(const Tensor& tensor, std::int64_t i);
// Bits of a type as the number they stand for, exactly.
double decode(ElementType type, std::uint64_t bits);

// The index of a flat row-major position.
Dims index_of(std::int64_t flat, const Dims& shape);

// The type of that name; with `short_names` also StableHLO's: f32, bf16, f8E4M3FN, ui8, complex<f32>.
std::optional<ElementType> element_type_named(std::string_view name, bool short_names);

// "1.5 (0x3fc00000)"
std::string described(ElementType type, std::uint64_t bits);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ELEMENT_VALUE_H_
