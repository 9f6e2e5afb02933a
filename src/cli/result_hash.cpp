#include "src/cli/result_hash.h"

#include <cstddef>

#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

// FNV-1a's published offset basis and prime.
class Fnv1a {
 public:
  void add(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      state_ = (state_ ^ (value >> (8 * i) & 0xff)) * 0x100000001b3u;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

std::uint64_t result_hash(const Tensor& result) {
  Fnv1a hash;
  hash.add(result.rank(), 8);
  for (const std::int64_t size : result.shape()) hash.add(static_cast<std::uint64_t>(size), 8);
  const std::size_t bytes = size_of(result.type());
  for (std::int64_t i = 0; i < result.size(); ++i) hash.add(bits_at(result, i), bytes);
  return hash.value();
}

}  // namespace matprec::cli
