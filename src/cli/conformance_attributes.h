// The attributes of a case as the library's own types.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_ATTRIBUTES_H_
#define MATPREC_SRC_CLI_CONFORMANCE_ATTRIBUTES_H_

#include <optional>
#include <string>

#include "matprec/dot_general.h"
#include "matprec/element_type.h"
#include "matprec/precision.h"
#include "src/cli/conformance_manifest.h"

namespace matprec::cli {

// `algorithm` (a name or StableHLO's fields), else `precision` (JAX's levels, whose "default" is
// the fastest one), else nothing. Errors: matprec's own for what names no algorithm; FileError for
// the rest.
PrecisionRequest request_of(const ManifestCase& test);
// "transpose_algorithm": null, a name, or two (for lhs's cotangent, for rhs's).
TransposePrecision transpose_of(const ManifestCase& test);

// Errors: FileError if the attribute is missing or malformed.
DotDimensionNumbers dimension_numbers_of(const ManifestCase& test);

// Of an attribute that may be absent or null. Errors: FileError if it is no type of matprec.
std::optional<ElementType> element_type_of(const ManifestCase& test, const char* attribute);

// The fields of StableHLO's algorithm attribute. Errors: an Error if a type is no float of matprec.
DotAlgorithmFields fields_of(const io::Json& algorithm);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_ATTRIBUTES_H_
