#include "src/dot/product.h"

#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "matprec/error.h"
#include "matprec/explain.h"
#include "matprec/runtime.h"
#include "src/dot/dot_shape.h"
#include "src/dot/lowering.h"
#include "src/dot/overlap.h"
#include "src/dot/result_type.h"
#include "src/error_text.h"
#include "src/gemm/gemm.h"
#include "src/gemm/packed_panels.h"
#include "src/gemm/reference.h"
#include "src/gemm/vector_gemm.h"
#include "src/kernels/targets.h"
#include "src/observe/nobody_asked.h"
#include "src/observe/trace.h"
#include "src/policy/choice.h"
#include "src/policy/requirement.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/workspace.h"

namespace matprec {
namespace contraction {
namespace {

// What would be noticed late or, before derivatives are asked for, never.
void check_options(const Call& call) {
  if (!is_element_type(call.options.preferred_element_type.value_or(ElementType{}))) {
    check_enumerator(std::string(call.op) + ": preferred_element_type",
                     *call.options.preferred_element_type);
  }
  for (const PrecisionRequest* side :
       {&call.options.transpose_algorithm.lhs, &call.options.transpose_algorithm.rhs}) {
    if (!is_sound(*side)) check_sound(*side, "transpose_algorithm");
  }
}

// With no alpha and C the output itself times one, the output is what it was: nothing is written.
bool writes_nothing(const gemm::GemmProblem& problem, bool c_is_out) {
  const ScopedFloatEnvironment environment;  // alpha may be subnormal
  return problem.alpha == 0.0 && problem.beta == 1.0 && !problem.bias && c_is_out;
}

// A packed operand serves one algorithm on one target.
void check_packed(const Call& call, const Resolution& resolution) {
  const gemm::PackedPanels* const packed = call.packed_lhs != nullptr ? call.packed_lhs : call.packed_rhs;
  if (packed == nullptr) return;
  const std::string op(call.op);
  if (packed->algorithm != resolution.algorithm) {
    throw Error(op + ": the operand was packed for " + std::string(to_string(packed->algorithm)) +
                ", but this product is to run " + to_string(resolution) + "; pack it again, or ask for " +
                std::string(to_string(packed->algorithm)));
  }
  const std::string_view current = kernels::current().name;
  if (packed->kernels->name != current) {
    throw Error(op + ": the operand was packed for the SIMD target " + std::string(packed->kernels->name) +
                ", but products run on " + std::string(current) + " now; pack it again");
  }
}

bool has_elements(const DotShape& shape) { return shape.batch > 0 && shape.m > 0 && shape.n > 0; }

void check_operands(const Call& call) {
  check_address(call.op, "lhs", call.lhs);
  check_address(call.op, "rhs", call.rhs);
}

void check_overlap(std::string_view op, const MutableTensorView& out, const TensorView& other,
                   std::string_view name) {
  if (share_memory(out, other) == Overlap::kYes) {
    throw Error(std::string(op) + ": the output shares memory with " + std::string(name) +
                " (output shape " + to_string(out.shape()) + " strides " + to_string(out.strides()) +
                ", " + std::string(name) + " shape " + to_string(other.shape()) + " strides " +
                to_string(other.strides()) + "); write to memory of its own and copy");
  }
}

bool same_view(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.type() == b.type() && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

void check_out(const Call& call, const MutableTensorView& out, const DotShape& shape,
               const DotEpilogue& epilogue) {
  const ScopedFloatEnvironment environment;  // alpha and beta may be subnormal
  const std::string op(call.op);
  check_view(call.op, "out", out);
  if (out.shape() != shape.out) {
    throw Error(op + ": out has shape " + to_string(out.shape()) + ", but the result has " +
                to_string(shape.out));
  }
  if (call.options.preferred_element_type && *call.options.preferred_element_type != out.type()) {
    throw Error(op + ": out has type " + std::string(to_string(out.type())) +
                ", but preferred_element_type is " +
                std::string(to_string(*call.options.preferred_element_type)) +
                "; they must be equal");
  }
  check_result_type(call.op, out.type(), call.lhs.type(), call.rhs.type());
  check_epilogue_types(call.op, out.type(), epilogue);
  if (overlaps_itself(out) == Overlap::kYes) {
    throw Error(op + ": out of shape " + to_string(out.shape()) + " with strides " +
                to_string(out.strides()) + " names one element more than once; give each its own");
  }
  check_address(call.op, "out", out);
  if (epilogue.alpha != 0.0) {  // else the operands are not read
    if (has_elements(shape)) check_operands(call);
    check_overlap(call.op, out, call.lhs, "lhs");
    check_overlap(call.op, out, call.rhs, "rhs");
  }
  if (epilogue.beta != 0.0 && epilogue.c) {
    check_view(call.op, "c", *epilogue.c);
    if (epilogue.c->shape() != shape.out) {
      throw Error(op + ": c has shape " + to_string(epilogue.c->shape()) + ", but the result has " +
                  to_string(shape.out));
    }
    check_address(call.op, "c", *epilogue.c);
    if (!same_view(*epilogue.c, out)) check_overlap(call.op, out, *epilogue.c, "c");
  }
  if (epilogue.bias) {
    const Dims strides = broadcast_strides(call.op, "bias", *epilogue.bias, shape.out);
    if (has_elements(shape)) check_address(call.op, "bias", *epilogue.bias);
    check_overlap(call.op, out,
                  TensorView(epilogue.bias->data(), epilogue.bias->type(), shape.out, strides),
                  "bias");
  }
}

}  // namespace

ElementType out_type(const Call& call) {
  if (!call.options.preferred_element_type) return result_type(call.lhs.type(), call.rhs.type());
  const ElementType type = *call.options.preferred_element_type;
  check_result_type(call.op, type, call.lhs.type(), call.rhs.type());
  return type;
}

void run(std::string_view op, const Resolution& resolution, ElementType lhs, ElementType rhs,
         const gemm::GemmProblem& problem) {
  check_requirement(resolution, lhs, rhs, op);
  announce(resolution, lhs, rhs);
  const WorkspaceUse use;
  gemm::gemm(problem, gemm::plan(problem, kernels::current(), num_threads()));
}

void run(const Call& call, const Resolution& resolution, const gemm::GemmProblem& problem,
         const Dims& out_shape) {
  if (!tracing()) return run(call.op, resolution, call.lhs.type(), call.rhs.type(), problem);
  check_requirement(resolution, call.lhs.type(), call.rhs.type(), call.op);
  announce(resolution, call.lhs.type(), call.rhs.type());
  const gemm::GemmPlan plan = gemm::plan(problem, kernels::current(), num_threads());
  const WorkspaceUse use;
  const auto start = std::chrono::steady_clock::now();
  gemm::gemm(problem, plan);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  report({call.op, call.options.label, call.lhs.type(), call.rhs.type(), problem.out_type,
          call.lhs.shape(), call.rhs.shape(), out_shape, resolution, plan.kernels->name, plan.threads,
          time.count(), call.where});
}

namespace {

// By its bits: the caller's floating-point environment may take subnormals for zeros.
bool is_zero(double x) { return std::bit_cast<std::uint64_t>(x) << 1 == 0; }

template <class T, class View>
bool is_matrix(const View& view, std::int64_t rows, std::int64_t columns) {
  return view.type() == element_type_of<T> && view.rank() == 2 && view.strides().size() == 2 && view.shape()[0] == rows &&
         view.shape()[1] == columns && view.strides()[1] == 1 && view.data() != nullptr &&
         reinterpret_cast<std::uintptr_t>(view.data()) % sizeof(T) == 0;
}

// The addresses from the first to behind the last element of a matrix whose rows follow one another.
struct Extent {
  std::uintptr_t first, last;
};
Extent extent_of(const void* data, std::int64_t rows, std::int64_t stride, std::int64_t columns, std::size_t item) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(data);
  return {first, first + static_cast<std::uintptr_t>((rows - 1) * stride + columns) * item};
}
bool apart(const Extent& a, const Extent& b) { return a.last <= b.first || b.last <= a.first; }

bool says_nothing(const DotOptions& options, ElementType type) {
  return &options == &detail::kNoOptions ||
         (options.precision.is_default() && options.transpose_algorithm.lhs.is_default() &&
          options.transpose_algorithm.rhs.is_default() && options.preferred_element_type.value_or(type) == type);
}

bool says_nothing(const DotEpilogue& epilogue) {
  return &epilogue == &detail::kNoEpilogue ||
         (epilogue.alpha.real() == 1 && is_zero(epilogue.alpha.imag()) && is_zero(epilogue.beta.real()) &&
          is_zero(epilogue.beta.imag()) && !epilogue.bias);
}

// Nothing is asked for but the product of two T operands over one dimension of each, and nobody is to be told.
template <class T>
bool is_plain(const Call& call, const MutableTensorView& out, const DotDimensionNumbers& numbers,
              const DotEpilogue& epilogue) {
  constexpr ElementType kType = element_type_of<T>;
  return out.type() == kType && call.decided == nullptr && call.packed_lhs == nullptr && call.packed_rhs == nullptr &&
         numbers.lhs_contracting.size() == 1 && numbers.rhs_contracting.size() == 1 && numbers.lhs_batch.empty() &&
         numbers.rhs_batch.empty() && says_nothing(call.options, kType) && says_nothing(epilogue) && nobody_asked();
}

constexpr std::int64_t kMostStride = std::int64_t{1} << 40;  // so that no address overflows

// A T operand of one or two dimensions as `outer` x k.
struct Lines {
  const void* data;
  std::int64_t outer, k, outer_stride, stride;
  Extent extent;
};
template <class T>
bool as_lines(const TensorView& view, std::int64_t contracting, Lines* lines) {
  const std::size_t rank = view.rank();
  if (view.type() != element_type_of<T> || rank < 1 || rank > 2 || view.strides().size() != rank ||
      contracting < 0 || contracting >= static_cast<std::int64_t>(rank) || view.data() == nullptr ||
      reinterpret_cast<std::uintptr_t>(view.data()) % sizeof(T) != 0) {
    return false;
  }
  const std::size_t k = static_cast<std::size_t>(contracting);
  *lines = {view.data(), 1, view.shape()[k], 1, view.strides()[k], {}};
  if (rank == 2) lines->outer = view.shape()[1 - k], lines->outer_stride = view.strides()[1 - k];
  constexpr std::int64_t kMostSize = std::int64_t{1} << 19;  // beyond, a plan costs nothing
  const auto in_order = [](std::int64_t size, std::int64_t stride) {
    return size >= 1 && size <= kMostSize && stride >= 1 && stride < kMostStride;
  };
  if (!in_order(lines->outer, lines->outer_stride) || !in_order(lines->k, lines->stride)) return false;
  const std::int64_t length = (lines->k - 1) * lines->stride + 1;
  lines->extent = extent_of(view.data(), lines->outer, lines->outer_stride, length, sizeof(T));
  return true;
}

// run_plain() of a vector and a matrix or another vector, in whatever order and number of dimensions.
template <class T>
bool run_plain_vector(const Call& call, const MutableTensorView& out, const DotDimensionNumbers& numbers,
                      const DotEpilogue& epilogue) {
  Lines a, b;
  if (call.lhs.rank() + call.rhs.rank() > 4 || !is_plain<T>(call, out, numbers, epilogue) ||
      !as_lines<T>(call.lhs, numbers.lhs_contracting[0], &a) ||
      !as_lines<T>(call.rhs, numbers.rhs_contracting[0], &b) || a.k != b.k || (a.outer != 1 && b.outer != 1)) {
    return false;
  }
  // The result: the outer dimensions that there are, in a line.
  const std::int64_t n = a.outer * b.outer;
  const std::size_t rank = call.lhs.rank() + call.rhs.rank() - 2;
  if (out.rank() != rank || out.strides().size() != rank || out.data() == nullptr ||
      reinterpret_cast<std::uintptr_t>(out.data()) % sizeof(T) != 0) {
    return false;
  }
  std::size_t dim = 0;
  for (const auto& [view, lines] : {std::pair{&call.lhs, &a}, std::pair{&call.rhs, &b}}) {
    if (view->rank() == 1) continue;
    if (out.shape()[dim] != lines->outer || (lines->outer > 1 && out.strides()[dim] != 1)) return false;
    ++dim;
  }
  const Extent c = extent_of(out.data(), 1, 1, n, sizeof(T));
  if (!apart(c, a.extent) || !apart(c, b.extent)) return false;
  T* const to = static_cast<T*>(out.data());
  return gemm::vector_at_once(
      gemm::AnyVectorProduct<T>{a.outer, b.outer, a.k, static_cast<const T*>(a.data), a.outer_stride, a.stride,
                                static_cast<const T*>(b.data), b.stride, b.outer_stride, to, 1, 1},
      kernels::current());
}

// The shortest way, for small products of matrices by rows with nothing asked for and nobody to be told: their
// time is that of the call. False, and nothing is done, if it is not one of these; what is wrong with it is then
// found by those who can say it.
template <class T>
bool run_plain(const Call& call, const MutableTensorView& out, const DotDimensionNumbers& numbers,
               const DotEpilogue& epilogue) {
  if (out.rank() != 2 || call.lhs.rank() != 2 || !is_plain<T>(call, out, numbers, epilogue) ||
      numbers.lhs_contracting[0] != 1 || numbers.rhs_contracting[0] != 0) {
    return false;
  }
  const std::int64_t m = out.shape()[0], n = out.shape()[1], k = call.lhs.shape()[1];
  if (!gemm::is_small_size(m, n, k, sizeof(T)) || !is_matrix<T>(call.lhs, m, k) ||
      !is_matrix<T>(call.rhs, k, n) || !is_matrix<T>(out, m, n)) {
    return false;
  }
  const gemm::PlainProduct<T> product{m,
                                      n,
                                      k,
                                      static_cast<const T*>(call.lhs.data()),
                                      call.lhs.strides()[0],
                                      static_cast<const T*>(call.rhs.data()),
                                      call.rhs.strides()[0],
                                      static_cast<T*>(out.data()),
                                      out.strides()[0]};
  const auto in_order = [](std::int64_t stride, std::int64_t columns) {
    return stride >= columns && stride < kMostStride;
  };
  const kernels::KernelTable& kernels = kernels::current();
  if (!in_order(product.a_row, k) || !in_order(product.b_step, n) || !in_order(product.c_row, n) ||
      !gemm::is_small(product, kernels)) {
    return false;
  }
  const Extent c = extent_of(out.data(), m, product.c_row, n, sizeof(T));
  if (!apart(c, extent_of(product.a, m, product.a_row, k, sizeof(T))) ||
      !apart(c, extent_of(product.b, k, product.b_step, n, sizeof(T)))) {
    return false;
  }
  gemm::small_gemm(product, kernels);
  return true;
}

}  // namespace

bool run_small(std::string_view op, const Resolution& resolution, const gemm::SmallProduct& product,
               const gemm::SmallBatch* batch) {
  const int threads = num_threads();
  if (tracing() || !gemm::is_small(product, threads)) return false;
  check_requirement(resolution, product.type, product.type, op);
  announce(resolution, product.type, product.type);
  const WorkspaceUse use;
  if (batch == nullptr) {
    gemm::small_gemm(product, kernels::current());
  } else {
    gemm::small_gemm(product, *batch, kernels::current(), threads);
  }
  return true;
}

Tensor product(const Call& call, const TensorView& lhs, const TensorView& rhs,
               const DotDimensionNumbers& numbers, const ResultLayout* layout) {
  check_options(call);
  const DotShape shape = dot_shape(call.op, lhs, rhs, numbers);
  const Resolution resolution = call.decided != nullptr
                                    ? *call.decided
                                    : resolve(call.options.precision, lhs.type(), rhs.type());
  check_packed(call, resolution);
  if (has_elements(shape)) check_operands(call);
  const ElementType type = out_type(call);
  Tensor result = in_call(call.op, [&] {
    return Tensor::uninitialized(type, layout != nullptr ? layout->shape : shape.out);
  });
  const MutableTensorView out(result.data(), result.type(), shape.out,
                              layout != nullptr ? layout->strides : row_major_strides(shape.out));
  gemm::GemmProblem problem = lower(out, lhs, rhs, numbers, shape, resolution.algorithm, {});
  problem.lhs.packed = call.packed_lhs, problem.rhs.packed = call.packed_rhs;
  run(call, resolution, problem, result.shape());
  return result;
}

void product_into(const Call& call, const MutableTensorView& out,
                  const DotDimensionNumbers& numbers, const DotEpilogue& epilogue) {
  if (run_plain<float>(call, out, numbers, epilogue) || run_plain<double>(call, out, numbers, epilogue) ||
      run_plain_vector<float>(call, out, numbers, epilogue) ||
      run_plain_vector<double>(call, out, numbers, epilogue)) {
    return;
  }
  check_options(call);
  const DotShape shape = dot_shape(call.op, call.lhs, call.rhs, numbers);
  const Resolution resolution = call.decided != nullptr
                                    ? *call.decided
                                    : resolve(call.options.precision, call.lhs.type(), call.rhs.type());
  check_packed(call, resolution);
  check_out(call, out, shape, epilogue);
  gemm::GemmProblem problem = lower(out, call.lhs, call.rhs, numbers, shape,
                                    resolution.algorithm, epilogue);
  problem.lhs.packed = call.packed_lhs, problem.rhs.packed = call.packed_rhs;
  if (writes_nothing(problem, !epilogue.c || same_view(*epilogue.c, out))) return;
  run(call, resolution, problem, shape.out);
}

}  // namespace contraction

void reference_dot_general_into(const MutableTensorView& out, const TensorView& lhs,
                                const TensorView& rhs, const DotDimensionNumbers& numbers,
                                DotAlgorithm algorithm, const DotEpilogue& epilogue) {
  const DotOptions options;
  const contraction::Call call{"reference_dot_general", lhs, rhs, options, {}};
  if (algorithm != DotAlgorithm::kInteger) check_sound(algorithm, call.op);
  contraction::check_out(call, out, contraction::dot_shape(call.op, lhs, rhs, numbers), epilogue);
  if (!accepts(algorithm, lhs.type(), rhs.type())) {
    throw Error("reference_dot_general: " + std::string(to_string(algorithm)) +
                " does not multiply " + std::string(to_string(lhs.type())) + " and " +
                std::string(to_string(rhs.type())) + "; integers take INTEGER alone, "
                "ANY_F8_ANY_F8_F32 takes 8-bit floats alone");
  }
  gemm::reference_dot_general_unchecked(out, lhs, rhs, numbers, algorithm, epilogue);
}

}  // namespace matprec
