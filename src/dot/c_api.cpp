#include "matprec/c_api.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "matprec/error.h"
#include "src/dot/overlap.h"
#include "src/dot/product.h"
#include "src/gemm/small_gemm.h"
#include "src/gemm/vector_gemm.h"
#include "src/kernels/targets.h"
#include "src/observe/nobody_asked.h"
#include "src/observe/trace.h"
#include "src/runtime/float_environment.h"

namespace matprec::contraction {
namespace {

constexpr int kRowMajor = 101, kColumnMajor = 102;
constexpr int kNoTranspose = 111, kTranspose = 112, kConjugateTranspose = 113;

bool is_transpose(int value) {
  return value == kNoTranspose || value == kTranspose || value == kConjugateTranspose;
}

// The numbers that an entry's arguments have, counted as CBLAS does; the first seven are 1 to 7 everywhere.
struct Places {
  int a, lda, b, ldb, c, ldc;
};
constexpr Places kOfOne = {8, 9, 10, 11, 13, 14};
constexpr Places kOfStrided = {8, 9, 11, 12, 15, 16};
constexpr Places kOfEach = {8, 9, 10, 11, 13, 14};

void report_bad_argument(const char* entry, int number, const char* name, const std::string& problem) {
  std::fprintf(stderr, "%s: parameter %d (%s) %s; the call did nothing\n", entry, number, name,
               problem.c_str());
}

void report_illegal(const char* entry, int number, const char* name, long long value) {
  report_bad_argument(entry, number, name, "has the illegal value " + std::to_string(value));
}

// Arguments of a gemm entry. Operands are of one type, C, alpha and beta of another or the same.
template <class In, class Out>
struct Gemm {
  const char* entry;
  ElementType type;  // of the operands
  int layout, trans_a, trans_b;
  std::int64_t m, n, k;
  Out alpha;
  const In* a;
  std::int64_t lda;
  const In* b;
  std::int64_t ldb;
  Out beta;
  Out* c;
  std::int64_t ldc;

  // By bits: the caller's floating-point environment may compare subnormals as zeros.
  using Bits = std::conditional_t<sizeof(Out) == 8, std::uint64_t, std::uint32_t>;
  bool alpha_is_zero() const { return static_cast<Bits>(std::bit_cast<Bits>(alpha) << 1) == 0; }
  bool beta_is_zero() const { return static_cast<Bits>(std::bit_cast<Bits>(beta) << 1) == 0; }

  // The least leading dimension of a rows x columns matrix as stored.
  std::int64_t least(std::int64_t rows, std::int64_t columns) const {
    return std::max<std::int64_t>(1, layout == kRowMajor ? columns : rows);
  }
  bool a_transposed() const { return trans_a != kNoTranspose; }
  bool b_transposed() const { return trans_b != kNoTranspose; }

  // The number of the first bad argument, which is reported; 0: none.
  int bad_argument(const Places& place) const {
    const auto illegal = [this](int number, const char* name, std::int64_t value) {
      report_illegal(entry, number, name, value);
      return number;
    };
    if (layout != kRowMajor && layout != kColumnMajor) return illegal(1, "layout", layout);
    if (!is_transpose(trans_a)) return illegal(2, "trans_a", trans_a);
    if (!is_transpose(trans_b)) return illegal(3, "trans_b", trans_b);
    if (m < 0) return illegal(4, "m", m);
    if (n < 0) return illegal(5, "n", n);
    if (k < 0) return illegal(6, "k", k);
    if (lda < (a_transposed() ? least(k, m) : least(m, k))) return illegal(place.lda, "lda", lda);
    if (ldb < (b_transposed() ? least(n, k) : least(k, n))) return illegal(place.ldb, "ldb", ldb);
    if (ldc < least(m, n)) return illegal(place.ldc, "ldc", ldc);
    return 0;
  }

  // As reference BLAS: nothing to do, C untouched.
  bool writes_nothing() const { return m == 0 || n == 0 || ((alpha_is_zero() || k == 0) && beta == 1); }

  // The number of the first operand that will be read or written but has no address, which is reported.
  int missing_operand(const Places& place) const {
    const auto missing = [this](int number, const char* name) {
      report_bad_argument(entry, number, name, "is a null pointer");
      return number;
    };
    const bool reads = k > 0 && !alpha_is_zero();
    if (reads && a == nullptr) return missing(place.a, "a");
    if (reads && b == nullptr) return missing(place.b, "b");
    return c == nullptr ? missing(place.c, "c") : 0;
  }
};

// The strides of op(X) when X is stored with this leading dimension.
struct Strides {
  std::int64_t row, column;
};
Strides strides(int layout, bool transposed, std::int64_t leading) {
  return (layout == kRowMajor) != transposed ? Strides{leading, 1} : Strides{1, leading};
}

// alpha and beta as the epilogue takes them: not inlined, so that the conversions stay inside.
template <class In, class Out>
[[gnu::noinline]] DotEpilogue epilogue_of(const Gemm<In, Out>& call) {
  const ScopedFloatEnvironment environment;
  DotEpilogue epilogue;
  epilogue.alpha = call.alpha;
  epilogue.beta = call.beta;
  return epilogue;
}

// The call as a small product, whose operands lie where the first ones do.
template <class T>
gemm::SmallProduct small_product(const Gemm<T, T>& call, DotAlgorithm algorithm) {
  const Strides a = strides(call.layout, call.a_transposed(), call.lda);
  const Strides b = strides(call.layout, call.b_transposed(), call.ldb);
  const Strides c = strides(call.layout, false, call.ldc);
  gemm::SmallProduct p{algorithm, call.type, call.m, call.n,   call.k, call.a, a.row, a.column,
                       call.b,    b.row,     b.column, call.c, c.row,  c.column, 1,   0};
  if (call.alpha != 1 || !call.beta_is_zero()) {
    if (call.alpha_is_zero()) p.k = 0;  // is_small() refuses it
    const DotEpilogue epilogue = epilogue_of(call);
    p.alpha = epilogue.alpha.real();
    p.beta = epilogue.beta.real();
  }
  return p;
}

// `count` products, operands and results so many elements apart.
struct Batch {
  std::int64_t count, a, b, c;
};

template <class In, class Out>
void run(const Gemm<In, Out>& call, const Batch& batch) {
  const Resolution resolution = resolve({}, call.type, call.type);
  if constexpr (std::is_same_v<In, Out>) {
    const gemm::SmallProduct small = small_product(call, resolution.algorithm);
    if (batch.count == 1) {
      if (run_small(call.entry, resolution, small)) return;
    } else {
      const gemm::SmallBatch places{batch.count, batch.a, batch.b, batch.c};
      if (run_small(call.entry, resolution, small, &places)) return;
    }
  }

  const Strides as = strides(call.layout, call.a_transposed(), call.lda);
  const Strides bs = strides(call.layout, call.b_transposed(), call.ldb);
  const Strides cs = strides(call.layout, false, call.ldc);
  const DotEpilogue epilogue = epilogue_of(call);
  gemm::GemmProblem problem;
  problem.algorithm = resolution.algorithm;
  problem.batch = batch.count, problem.m = call.m, problem.n = call.n;
  problem.k = call.alpha_is_zero() ? 0 : call.k;
  problem.lhs = {call.a, call.type, {batch.count, batch.a}, {call.m, as.row}, {call.k, as.column}};
  problem.rhs = {call.b, call.type, {batch.count, batch.b}, {call.n, bs.column}, {call.k, bs.row}};
  problem.out = call.c;
  problem.out_type = sizeof(Out) == 8 ? ElementType::kF64 : ElementType::kF32;
  problem.out_batch = {batch.count, batch.c};
  problem.out_rows = {call.m, cs.row}, problem.out_columns = {call.n, cs.column};
  problem.alpha = epilogue.alpha, problem.beta = epilogue.beta;
  if (!call.beta_is_zero()) {
    problem.c = gemm::Source{call.c, problem.out_type, problem.out_batch, problem.out_rows, problem.out_columns};
  }
  if (!tracing()) return contraction::run(call.entry, resolution, call.type, call.type, problem);

  // Shapes as the caller wrote them: a single product has no batch.
  const auto shape = [&](std::int64_t rows, std::int64_t columns) {
    return batch.count == 1 ? Dims{rows, columns} : Dims{batch.count, rows, columns};
  };
  const TensorView a(call.a, call.type, shape(call.m, call.k)), b(call.b, call.type, shape(call.k, call.n));
  const DotOptions options;
  contraction::run({call.entry, a, b, options, {}}, resolution, problem, shape(call.m, call.n));
}

// `count` products of operands that lie anywhere.
void run_each(Gemm<float, float>& call, std::int64_t count, const float* const* a, const float* const* b,
              float* const* c) {
  const Resolution resolution = resolve({}, call.type, call.type);
  // Of some places only the one of the last product is looked at here: float32 arrays are aligned.
  call.a = a[0], call.b = b[0], call.c = c[0];
  const gemm::SmallProduct small = small_product(call, resolution.algorithm);
  const gemm::SmallBatch places{count, 0, 0, 0, a, b, c};
  if (run_small(call.entry, resolution, small, &places)) return;
  for (std::int64_t i = 0; i < count; ++i) {
    call.a = a[i], call.b = b[i], call.c = c[i];
    run(call, {1, 0, 0, 0});
  }
}

// body(), whose errors cannot be returned through CBLAS's signatures; and no result may be made up.
template <class Body>
void or_exit(const char* entry, const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", entry, error.what());
    std::_Exit(EXIT_FAILURE);
  }
}

// Whether C = op(A) op(B), operands and result have an address, and nobody wants to know.
template <class T>
bool is_plain(T alpha, const T* a, const T* b, T beta, const T* c) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return alpha == 1 && static_cast<Bits>(std::bit_cast<Bits>(beta) << 1) == 0 && a != nullptr && b != nullptr &&
         c != nullptr && nobody_asked();
}

// run_plain() of a single row or column.
template <class T>
[[gnu::noinline]] bool run_plain_vector(int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda,
                                        const T* b, int ldb, T beta, T* c, int ldc) {
  const bool a_transposed = trans_a != kNoTranspose, b_transposed = trans_b != kNoTranspose;
  if (!is_transpose(trans_a) || !is_transpose(trans_b) || lda < (a_transposed ? m : k) ||
      ldb < (b_transposed ? k : n) || ldc < n || !is_plain(alpha, a, b, beta, c)) {
    return false;
  }
  const Strides as = strides(kRowMajor, a_transposed, lda), bs = strides(kRowMajor, b_transposed, ldb);
  try {
    return gemm::vector_at_once(
        gemm::AnyVectorProduct<T>{m, n, k, a, as.row, as.column, b, bs.row, bs.column, c, ldc, 1},
        kernels::current());
  } catch (const std::bad_alloc&) {
    return false;  // the long way says so
  }
}

// The shortest way, for products whose time is that of the call. False, and nothing is done, if it is not one
// of these; arguments need not be checked before.
template <class T>
bool run_plain(int layout, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda,
               const T* b, int ldb, T beta, T* c, int ldc) {
  if (layout != kRowMajor) {  // column-major C is C^T = B^T A^T in rows
    if (layout != kColumnMajor) return false;
    std::swap(m, n), std::swap(a, b), std::swap(lda, ldb), std::swap(trans_a, trans_b);
  }
  if ((m == 1 || n == 1) && gemm::may_be_vector(std::max(m, n), k, n == 1 || trans_b != kNoTranspose) &&
      run_plain_vector(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) {
    return true;
  }
  const bool in_rows = trans_a == kNoTranspose && trans_b == kNoTranspose && lda >= k && ldb >= n && ldc >= n;
  if (!in_rows || !is_plain(alpha, a, b, beta, c)) return false;
  const gemm::PlainProduct<T> product{m, n, k, a, lda, b, ldb, c, ldc};
  const kernels::KernelTable& kernels = kernels::current();
  if (!gemm::is_small(product, kernels)) return false;
  gemm::small_gemm(product, kernels);
  return true;
}

template <class In, class Out>
void gemm_entry(const Gemm<In, Out>& call) {
  if (call.bad_argument(kOfOne) != 0 || call.writes_nothing() || call.missing_operand(kOfOne) != 0) return;
  or_exit(call.entry, [&] { run(call, {1, 0, 0, 0}); });
}

void batch_strided(const Gemm<float, float>& call, const Batch& batch) {
  if (call.bad_argument(kOfStrided) != 0) return;
  if (batch.count < 0) return report_illegal(call.entry, 18, "batch_size", batch.count);
  if (batch.count == 0 || call.writes_nothing() || call.missing_operand(kOfStrided) != 0) return;
  const Strides s = strides(call.layout, false, call.ldc);
  // Apart in the plain sense, or by a closer look.
  const std::int64_t extent = (call.m - 1) * s.row + (call.n - 1) * s.column + 1;
  if (batch.count > 1 && std::abs(batch.c) < extent) {
    const TensorView c(call.c, call.type, {batch.count, call.m, call.n}, {batch.c, s.row, s.column});
    if (overlaps_itself(c) == Overlap::kYes) {
      return report_bad_argument(call.entry, 17, "stridec",
                                 "has the value " + std::to_string(batch.c) +
                                     ", by which results share elements");
    }
  }
  or_exit(call.entry, [&] { run(call, batch); });
}

}  // namespace
}  // namespace matprec::contraction

namespace mc = matprec::contraction;

extern "C" {

void matprec_cblas_sgemm(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha,
                         const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  if (mc::run_plain(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
  mc::gemm_entry<float, float>({"matprec_cblas_sgemm", matprec::ElementType::kF32, layout, trans_a, trans_b,
                                m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

void matprec_cblas_dgemm(int layout, int trans_a, int trans_b, int m, int n, int k, double alpha,
                         const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  if (mc::run_plain(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
  mc::gemm_entry<double, double>({"matprec_cblas_dgemm", matprec::ElementType::kF64, layout, trans_a,
                                  trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

void matprec_cblas_gemm_bf16bf16f32(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha,
                                    const unsigned short* a, int lda, const unsigned short* b, int ldb, float beta,
                                    float* c, int ldc) {
  mc::gemm_entry<unsigned short, float>({"matprec_cblas_gemm_bf16bf16f32", matprec::ElementType::kBF16,
                                        layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c,
                                        ldc});
}

void matprec_cblas_sgemm_batch_strided(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha,
                                       const float* a, int lda, int stride_a, const float* b, int ldb,
                                       int stride_b, float beta, float* c, int ldc, int stride_c,
                                       int batch_size) {
  mc::batch_strided({"matprec_cblas_sgemm_batch_strided", matprec::ElementType::kF32, layout, trans_a,
                     trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                    {batch_size, stride_a, stride_b, stride_c});
}

void matprec_cblas_sgemm_batch(int layout, const int* trans_a, const int* trans_b, const int* m, const int* n,
                               const int* k, const float* alpha, const float* const* a, const int* lda,
                               const float* const* b, const int* ldb, const float* beta, float* const* c,
                               const int* ldc, int group_count, const int* group_size) {
  const char* const entry = "matprec_cblas_sgemm_batch";
  if (group_count < 0) return mc::report_illegal(entry, 15, "group_count", group_count);
  const auto group = [&](int g) {
    return mc::Gemm<float, float>{entry,    matprec::ElementType::kF32, layout, trans_a[g], trans_b[g], m[g],
                                  n[g],     k[g],                       alpha[g], nullptr, lda[g],     nullptr,
                                  ldb[g],   beta[g],                    nullptr, ldc[g]};
  };
  // All of it is looked at before any of it is computed.
  for (std::int64_t g = 0, first = 0; g < group_count; ++g) {
    if (group_size[g] < 0) return mc::report_illegal(entry, 16, "group_size", group_size[g]);
    auto call = group(static_cast<int>(g));
    if (call.bad_argument(mc::kOfEach) != 0) return;
    for (std::int64_t i = first; i < first + group_size[g] && !call.writes_nothing(); ++i) {
      call.a = a[i], call.b = b[i], call.c = c[i];
      if (call.missing_operand(mc::kOfEach) != 0) return;
    }
    first += group_size[g];
  }
  mc::or_exit(entry, [&] {
    for (std::int64_t g = 0, first = 0; g < group_count; first += group_size[g], ++g) {
      auto call = group(static_cast<int>(g));
      if (call.writes_nothing() || group_size[g] == 0) continue;
      mc::run_each(call, group_size[g], a + first, b + first, c + first);
    }
  });
}

}  // extern "C"
