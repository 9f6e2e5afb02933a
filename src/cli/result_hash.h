// A 64-bit name for a result: equal results have equal hashes, on every machine.
#ifndef MATPREC_SRC_CLI_RESULT_HASH_H_
#define MATPREC_SRC_CLI_RESULT_HASH_H_

#include <cstdint>

#include "matprec/tensor.h"

namespace matprec::cli {

// FNV-1a (64 bits) over the rank and the sizes, as 64-bit little-endian numbers, then the elements'
// little-endian bytes in row-major order.
std::uint64_t result_hash(const Tensor& result);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_RESULT_HASH_H_
