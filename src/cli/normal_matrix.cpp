#include "src/cli/normal_matrix.h"

namespace matprec::cli {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // True with probability exp(-p), for p in [0, 1] (von Neumann 1951): uniform numbers fall n times
  // in a row from p on with probability p^n / n!, and the alternating sum of these is that of an
  // even n.
  bool exponential(double p) {
    bool even = true;
    for (double last = p, u; (u = uniform()) < last; last = u) even = !even;
    return even;
  }

  double normal() {
    for (;;) {
      // k with weights exp(-k/2), kept with exp(-k(k-1)/2): together exp(-k^2/2).
      int k = 0;
      while (exponential(0.5)) ++k;
      if (!all_exponential(k * (k - 1), 0.5)) continue;
      // k + x, kept with exp(-x(2k+x)/2), in factors whose exponents are below 1.
      const double x = uniform();
      if (!all_exponential(k + 1, x * (2 * k + x) / (2 * k + 2))) continue;
      const bool negative = (next() >> 63) != 0;
      return negative ? -(k + x) : k + x;
    }
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  bool all_exponential(int times, double p) {
    for (int i = 0; i < times; ++i) {
      if (!exponential(p)) return false;
    }
    return true;
  }

  std::uint64_t state_;
};

}  // namespace

Tensor normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Tensor matrix(ElementType::kF32, {rows, columns});
  Random random(seed);
  float* values = matrix.data<float>();
  for (std::int64_t i = 0; i < matrix.size(); ++i) values[i] = static_cast<float>(random.normal());
  return matrix;
}

}  // namespace matprec::cli
