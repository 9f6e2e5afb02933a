#include "matprec/c_api.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "src/dot/lowering.h"
#include "src/dot/product.h"
#include "src/runtime/float_environment.h"

namespace matprec::contraction {
namespace {

constexpr int kRowMajor = 101, kColumnMajor = 102;
constexpr int kNoTranspose = 111, kTranspose = 112, kConjugateTranspose = 113;

bool is_transpose(int value) {
  return value == kNoTranspose || value == kTranspose || value == kConjugateTranspose;
}

// Arguments of cblas_sgemm, and the number of the first bad one (0: none), counted as CBLAS does.
struct Sgemm {
  int layout, trans_a, trans_b;
  std::int64_t m, n, k;
  const float* a;
  std::int64_t lda;
  const float* b;
  std::int64_t ldb;
  float* c;
  std::int64_t ldc;
  float alpha, beta;

  // By its bits: the caller's floating-point environment may compare subnormals as zeros.
  bool alpha_is_zero() const { return std::bit_cast<std::uint32_t>(alpha) << 1 == 0; }

  // The least leading dimension of a rows x columns matrix as stored.
  std::int64_t least(std::int64_t rows, std::int64_t columns) const {
    return std::max<std::int64_t>(1, layout == kRowMajor ? columns : rows);
  }
  bool a_transposed() const { return trans_a != kNoTranspose; }
  bool b_transposed() const { return trans_b != kNoTranspose; }

  int bad_argument() const {
    if (layout != kRowMajor && layout != kColumnMajor) return 1;
    if (!is_transpose(trans_a)) return 2;
    if (!is_transpose(trans_b)) return 3;
    if (m < 0) return 4;
    if (n < 0) return 5;
    if (k < 0) return 6;
    if (lda < (a_transposed() ? least(k, m) : least(m, k))) return 9;
    if (ldb < (b_transposed() ? least(n, k) : least(k, n))) return 11;
    if (ldc < least(m, n)) return 14;
    return 0;
  }
};

// The strides of op(X) when X is stored with this leading dimension.
Dims strides(int layout, bool transposed, std::int64_t leading) {
  return (layout == kRowMajor) != transposed ? Dims{leading, 1} : Dims{1, leading};
}

void report_bad_argument(const Sgemm& call, int number) {
  static constexpr const char* kNames[] = {"", "layout", "trans_a", "trans_b", "m",    "n",   "k", "",
                                           "", "lda",    "",        "ldb",     "",     "",    "ldc"};
  const long long values[] = {0,        call.layout, call.trans_a, call.trans_b, call.m, call.n,
                              call.k,   0,           0,            call.lda,     0,      call.ldb,
                              0,        0,           call.ldc};
  std::fprintf(stderr,
               "matprec_cblas_sgemm: parameter %d (%s) has the illegal value %lld; the call did "
               "nothing\n",
               number, kNames[number], values[number]);
}

// alpha and beta as the epilogue takes them: not inlined, so that the conversions stay inside.
[[gnu::noinline]] DotEpilogue epilogue_of(const Sgemm& call) {
  const ScopedFloatEnvironment environment;
  DotEpilogue epilogue;
  epilogue.alpha = call.alpha;
  epilogue.beta = call.beta;
  return epilogue;
}

void sgemm(const Sgemm& call) {
  const TensorView a(call.a, {call.m, call.k}, strides(call.layout, call.a_transposed(), call.lda));
  const TensorView b(call.b, {call.k, call.n}, strides(call.layout, call.b_transposed(), call.ldb));
  const MutableTensorView c(call.c, {call.m, call.n}, strides(call.layout, false, call.ldc));
  const DotOptions options;
  const Call as_written{"cblas_sgemm", a, b, options, {}};
  const Resolution resolution = resolve({}, ElementType::kF32, ElementType::kF32);
  const DotDimensionNumbers numbers = {{1}, {0}, {}, {}};
  const DotShape shape = dot_shape("cblas_sgemm", a, b, numbers);
  const gemm::GemmProblem problem =
      lower(c, a, b, numbers, shape, resolution.algorithm, epilogue_of(call));
  run(as_written, resolution, problem, c.shape());
}

}  // namespace
}  // namespace matprec::contraction

extern "C" void matprec_cblas_sgemm(int layout, int trans_a, int trans_b, int m, int n, int k,
                                    float alpha, const float* a, int lda, const float* b, int ldb,
                                    float beta, float* c, int ldc) {
  const matprec::contraction::Sgemm call{layout, trans_a, trans_b, m, n,   k,     a,
                                    lda,    b,       ldb,     c, ldc, alpha, beta};
  if (const int number = call.bad_argument()) {
    matprec::contraction::report_bad_argument(call, number);
    return;
  }
  // As reference BLAS: nothing to do, C untouched.
  if (m == 0 || n == 0 || ((call.alpha_is_zero() || k == 0) && beta == 1)) return;
  try {
    matprec::contraction::sgemm(call);
  } catch (const std::exception& error) {
    // No way to return an error through this signature, and no result may be made up.
    std::fprintf(stderr, "matprec_cblas_sgemm: %s\n", error.what());
    std::_Exit(EXIT_FAILURE);
  }
}
