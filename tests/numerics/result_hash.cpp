// Prints one hash of result bits per algorithm and per conversion, the same on every machine.
//
//   result_hash [EXPECTED [best]]
//
// A fixed set of pseudo-random products and conversions runs on every SIMD target that this machine
// has, and on the scalar oracle. Any two that differ, or a difference from the file EXPECTED (what
// this program prints), end it with 1; "best" leaves out all targets but the best. It needs the public headers and the library only, so that it
// can be built by hand with any compiler, at any optimisation, for any processor.
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "matprec/matprec.h"

namespace {

namespace mp = matprec;
using mp::ElementType;
using mp::Tensor;

constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kF32, ElementType::kBF16,
                                  ElementType::kF16};
constexpr ElementType kFloat8Types[] = {ElementType::kF8E4M3FN, ElementType::kF8E5M2,
                                        ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2FNUZ};

// FNV-1a over 64 bits. Both supported processors are little endian, so the bytes are the same.
class Hash {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3u;
  }
  void add(const Tensor& x) {
    add(x.data(), static_cast<std::size_t>(x.size()) * mp::size_of(x.type()));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Marsaglia's xorshift64: integers only, so that no compiler can change the data.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_;
};

enum class Values {
  kModerate,  // any sign and significand, exponents -4 .. 3
  kWide,      // exponents over the whole range of the type: overflow, underflow, subnormals
  kSpecial,   // moderate, with a NaN, a signalling NaN, an infinity, a zero or a subnormal in
              // between
};

// A random element of `type` as its bits: `fraction` bits below an exponent of `exponent` bits.
std::uint64_t random_bits(Random& random, Values values, int fraction, int exponent) {
  const std::uint64_t r = random.bits();
  const std::uint64_t one = 1;
  const std::uint64_t sign = (r & 1) << (fraction + exponent);
  const std::uint64_t significand = (r >> 1) & ((one << fraction) - 1);
  const std::uint64_t bias = (one << (exponent - 1)) - 1;
  const std::uint64_t infinity = ((one << exponent) - 1) << fraction;
  const std::uint64_t choice = random.bits() >> 20;
  if (values == Values::kWide) return sign | (choice % (2 * bias + 1)) << fraction | significand;
  if (values == Values::kSpecial) {
    switch (choice % 97) {
      case 0:
        return sign | infinity;
      case 1:
        return sign | infinity | (one << (fraction - 1)) | significand;  // quiet NaN
      case 2:
        return sign | infinity | one;  // signalling NaN
      case 3:
      case 4:
        return sign;  // zero
      case 5:
      case 6:
        return sign | significand;  // subnormal
      case 7:
        return sign | (infinity - 1);  // largest finite
      default:
        break;
    }
  }
  return sign | (bias - 4 + choice % 8) << fraction | significand;
}

Tensor random_tensor(std::uint64_t seed, ElementType type, const mp::Dims& shape, Values values) {
  Random random(seed);
  Tensor x(type, shape);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    switch (type) {
      case ElementType::kF64:
        x.data<double>()[i] = std::bit_cast<double>(random_bits(random, values, 52, 11));
        break;
      case ElementType::kF32:
        x.data<float>()[i] =
            std::bit_cast<float>(static_cast<std::uint32_t>(random_bits(random, values, 23, 8)));
        break;
      case ElementType::kBF16:
        x.data<mp::BFloat16>()[i].bits =
            static_cast<std::uint16_t>(random_bits(random, values, 7, 8));
        break;
      case ElementType::kF16:
        x.data<mp::Float16>()[i].bits =
            static_cast<std::uint16_t>(random_bits(random, values, 10, 5));
        break;
      case ElementType::kC64: {
        auto* parts = static_cast<float*>(x.data()) + 2 * i;
        for (int part : {0, 1}) {
          parts[part] =
              std::bit_cast<float>(static_cast<std::uint32_t>(random_bits(random, values, 23, 8)));
        }
        break;
      }
      case ElementType::kC128: {
        auto* parts = static_cast<double*>(x.data()) + 2 * i;
        for (int part : {0, 1}) {
          parts[part] = std::bit_cast<double>(random_bits(random, values, 52, 11));
        }
        break;
      }
      default: {  // any bits: 8-bit floats and integers
        const std::uint64_t bits = random.bits() >> 20;
        const std::size_t item = mp::size_of(type);
        std::memcpy(static_cast<char*>(x.data()) + static_cast<std::size_t>(i) * item, &bits, item);
      }
    }
  }
  return x;
}

// Runs products under one algorithm, by the kernels or by the scalar oracle, and hashes what they
// write.
class Products {
 public:
  Products(mp::DotAlgorithm algorithm, bool oracle) : algorithm_(algorithm), oracle_(oracle) {}

  void run(Tensor& out, const mp::TensorView& lhs, const mp::TensorView& rhs,
           const mp::DotDimensionNumbers& dims, const mp::DotEpilogue& epilogue = {}) {
    if (oracle_) {
      mp::reference_dot_general_into(out, lhs, rhs, dims, algorithm_, epilogue);
    } else {
      mp::DotOptions options{.preferred_element_type = out.type()};
      if (algorithm_ != mp::DotAlgorithm::kInteger) options.precision = algorithm_;
      mp::dot_general_into(out, lhs, rhs, dims, options, epilogue);
    }
    hash_.add(out);
  }
  std::uint64_t hash() const { return hash_.value(); }

 private:
  mp::DotAlgorithm algorithm_;
  bool oracle_;
  Hash hash_;
};

// Chunks of 128 steps begin and end inside, at and beside these; so do vectors and tiles of m and
// n.
void add_shapes(Products& products) {
  struct Shape {
    std::int64_t m, n, k;
  };
  const Shape shapes[] = {{3, 5, 0},     {1, 1, 1},     {7, 9, 1},    {5, 33, 127},
                          {17, 16, 128}, {6, 31, 129},  {1, 37, 257}, {41, 1, 257},
                          {13, 35, 257}, {4, 19, 1000}, {1, 1, 1000}, {97, 65, 3}};
  std::uint64_t seed = 1;
  for (const Shape& s : shapes) {
    for (const Values values : {Values::kModerate, Values::kWide, Values::kSpecial}) {
      const Tensor a = random_tensor(++seed, ElementType::kF32, {s.m, s.k}, values);
      const Tensor b = random_tensor(++seed, ElementType::kF32, {s.k, s.n}, values);
      Tensor c(ElementType::kF32, {s.m, s.n});
      products.run(c, a, b, {.lhs_contracting = {1}, .rhs_contracting = {0}});
    }
  }
}

void add_layouts(Products& products) {
  const std::int64_t m = 11, n = 21, k = 131;
  const Tensor a = random_tensor(101, ElementType::kF32, {2 * m, 2 * k}, Values::kModerate);
  const Tensor b = random_tensor(102, ElementType::kF32, {2 * k, 2 * n}, Values::kModerate);
  const auto* x = a.data<float>();
  const auto* y = b.data<float>();
  Tensor c(ElementType::kF32, {m, n});
  for (const std::int64_t lhs_contracting : {0, 1}) {
    for (const std::int64_t rhs_contracting : {0, 1}) {
      const mp::DotDimensionNumbers dims{.lhs_contracting = {lhs_contracting},
                                         .rhs_contracting = {rhs_contracting}};
      const mp::Dims lhs = lhs_contracting == 1 ? mp::Dims{m, k} : mp::Dims{k, m};
      const mp::Dims rhs = rhs_contracting == 1 ? mp::Dims{n, k} : mp::Dims{k, n};
      products.run(c, {x, lhs}, {y, rhs}, dims);  // gapless
      products.run(c, {x + 1, lhs, {2 * lhs[1], 2}}, {y, rhs, {2 * rhs[1], 1}},
                   dims);  // gaps, odd start
      products.run(c, {x + a.size() - 1, lhs, {-lhs[1], -1}}, {y, rhs, {0, 1}}, dims);  // backwards
    }
  }
  const Tensor p = random_tensor(103, ElementType::kF32, {3, 4, 5, 6}, Values::kModerate);
  const Tensor q = random_tensor(104, ElementType::kF32, {5, 7, 4, 3}, Values::kModerate);
  Tensor batches(ElementType::kF32, {3, 6, 7});
  products.run(
      batches, p, q,
      {.lhs_contracting = {2, 1}, .rhs_contracting = {0, 2}, .lhs_batch = {0}, .rhs_batch = {3}});
}

void add_types_and_epilogues(Products& products) {
  const std::int64_t m = 3, n = 9, k = 129;
  std::uint64_t seed = 200;
  for (const ElementType lhs : kTypes) {
    for (const ElementType rhs : kTypes) {
      const Tensor a = random_tensor(++seed, lhs, {m, k}, Values::kModerate);
      const Tensor b = random_tensor(++seed, rhs, {k, n}, Values::kModerate);
      for (const ElementType out : kTypes) {
        const mp::DotDimensionNumbers dims{.lhs_contracting = {1}, .rhs_contracting = {0}};
        Tensor c = random_tensor(++seed, out, {m, n}, Values::kModerate);
        const Tensor bias = random_tensor(++seed, lhs, {n}, Values::kModerate);
        products.run(c, a, b, dims);
        products.run(c, a, b, dims, {.alpha = -0.7, .beta = 1.1});
        products.run(c, a, b, dims, {.beta = 1.0, .bias = bias});
      }
    }
  }
}

// lhs, rhs and results of types that not every algorithm takes.
void add_products_of(Products& products, ElementType lhs, ElementType rhs,
                     std::initializer_list<ElementType> results) {
  std::uint64_t seed = 400;
  const mp::DotDimensionNumbers dims{.lhs_contracting = {1}, .rhs_contracting = {0}};
  for (const std::int64_t k : {0, 1, 129, 300}) {
    const Tensor a = random_tensor(++seed, lhs, {5, k}, Values::kModerate);
    const Tensor b = random_tensor(++seed, rhs, {k, 19}, Values::kModerate);
    for (const ElementType result : results) {
      Tensor c = random_tensor(++seed, result, {5, 19}, Values::kModerate);
      products.run(c, a, b, dims);
      if (mp::is_integer(result)) continue;
      products.run(c, a, b, dims, {.alpha = -0.7, .beta = 1.1});
      if (mp::is_complex(result)) {
        const Tensor bias = random_tensor(++seed, rhs, {19}, Values::kModerate);
        products.run(c, a, b, dims, {.alpha = {0.3, -1.2}, .beta = {-0.4, 0.9}, .bias = bias});
      }
    }
  }
}

std::uint64_t hash_of_float8(mp::DotAlgorithm algorithm, bool oracle) {
  Products products(algorithm, oracle);
  for (const ElementType lhs : kFloat8Types) {
    for (const ElementType rhs : kFloat8Types) {
      add_products_of(products, lhs, rhs, {ElementType::kF32, lhs, ElementType::kBF16});
    }
  }
  return products.hash();
}

std::uint64_t hash_of_complex(mp::DotAlgorithm algorithm, bool oracle) {
  Products products(algorithm, oracle);
  const auto results = {ElementType::kC64, ElementType::kC128};
  add_products_of(products, ElementType::kC64, ElementType::kC64, results);
  add_products_of(products, ElementType::kF32, ElementType::kC64, results);
  add_products_of(products, ElementType::kC128, ElementType::kBF16, results);
  return products.hash();
}

std::uint64_t hash_of_integers(bool oracle) {
  Products products(mp::DotAlgorithm::kInteger, oracle);
  const auto types = {ElementType::kS8, ElementType::kU8, ElementType::kS32};
  for (const ElementType lhs : types) {
    for (const ElementType rhs : types) add_products_of(products, lhs, rhs, types);
  }
  return products.hash();
}

// Conversions of the types that nothing is split or rounded in.
std::uint64_t hash_of_plain_conversions(ElementType from) {
  Hash hash;
  const Tensor x = random_tensor(500, from, {1000}, Values::kSpecial);
  for (std::size_t i = 0; i < mp::kElementTypeCount; ++i) {
    const auto to = static_cast<ElementType>(i);
    if (!mp::is_complex(from) || mp::is_complex(to)) {
      hash.add(mp::convert(x, to));
      hash.add(mp::convert(x, to, {.saturate = true}));
    }
  }
  return hash.value();
}

std::uint64_t hash_of_conversions(ElementType from) {
  Hash hash;
  const mp::PrecisionType precisions[] = {mp::PrecisionType::kBF16, mp::PrecisionType::kTF32,
                                          mp::PrecisionType::kF16, mp::PrecisionType::kF32};
  for (const Values values : {Values::kModerate, Values::kWide, Values::kSpecial}) {
    const Tensor x = random_tensor(301, from, {1021}, values);
    for (const ElementType to : kTypes) hash.add(mp::convert(x, to));
    for (const mp::PrecisionType precision : precisions) hash.add(mp::round_to(x, precision));
    for (const mp::PrecisionType precision :
         {mp::PrecisionType::kBF16, mp::PrecisionType::kTF32, mp::PrecisionType::kF16}) {
      for (const Tensor& part : mp::split(x, precision, 3)) hash.add(part);
    }
  }
  return hash.value();
}

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex;
  text.width(16);
  text.fill('0');
  text << value;
  return text.str();
}

// Every hash, a line each, and one over them all.
std::string report(bool oracle) {
  std::string lines;
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    lines += std::string(row.name) + " of 8-bit floats " +
             hex(hash_of_float8(row.algorithm, oracle)) + '\n';
    if (!mp::rounds_operands(row.algorithm)) continue;
    lines += std::string(row.name) + " of complex numbers " +
             hex(hash_of_complex(row.algorithm, oracle)) + '\n';
    Products products(row.algorithm, oracle);
    add_shapes(products);
    add_layouts(products);
    add_types_and_epilogues(products);
    lines += std::string(row.name) + ' ' + hex(products.hash()) + '\n';
  }
  lines += "integers " + hex(hash_of_integers(oracle)) + '\n';
  for (std::size_t i = 0; i < mp::kElementTypeCount; ++i) {
    const auto from = static_cast<ElementType>(i);
    lines += "convert from " + std::string(mp::to_string(from)) + ' ' +
             hex(hash_of_plain_conversions(from)) + '\n';
  }
  for (const ElementType from : kTypes) {
    lines += "convert, round_to, split of " + std::string(mp::to_string(from)) + ' ' +
             hex(hash_of_conversions(from)) + '\n';
  }
  Hash total;
  total.add(lines.data(), lines.size());
  return lines + "total " + hex(total.value()) + '\n';
}

int compare_all(const char* expected_file, bool best_only) {
  std::vector<std::pair<std::string, std::string>> reports;
  for (const mp::TargetInfo& target : mp::targets()) {
    if (!target.usable || (best_only && !reports.empty())) continue;
    mp::set_target(target.name);
    reports.emplace_back(target.name, report(false));
  }
  mp::set_target("");
  reports.emplace_back("oracle", report(true));
  if (expected_file != nullptr) {
    std::ifstream file(expected_file);
    std::ostringstream text;
    text << file.rdbuf();
    reports.emplace_back(expected_file, text.str());
  }
  const auto& [first_name, first] = reports.front();
  std::cout << first;
  int status = 0;
  for (const auto& [name, lines] : reports) {
    std::cerr << name << (lines == first ? ": same bits\n" : ": other bits\n");
    if (lines == first) continue;
    std::cerr << lines;
    status = 1;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare_all(argc > 1 ? argv[1] : nullptr, argc > 2 && std::string(argv[2]) == "best");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
