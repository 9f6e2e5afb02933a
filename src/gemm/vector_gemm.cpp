#include "src/gemm/vector_gemm.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "src/gemm/one_product.h"
#include "src/gemm/pack.h"
#include "src/gemm/small_gemm.h"
#include "src/gemm/workspace.h"
#include "src/runtime/float_environment.h"

namespace matprec::gemm {
namespace {

using kernels::kChunkSteps;
using kernels::kVectorStrip;
using kernels::KernelTable;

// A vector whose elements do not lie in a line is copied, if it is not longer.
constexpr std::int64_t kMaxCopied = std::int64_t{1} << 17;

// The operand that is a vector, and the other one.
struct Roles {
  const Source& vector;
  const Source& matrix;
  bool swapped;  // the vector is the right-hand side
};
Roles roles(const GemmProblem& problem) {
  if (problem.m == 1) return {problem.lhs, problem.rhs, false};
  return {problem.rhs, problem.lhs, true};
}

const kernels::VectorKernels<float>& vector_kernels(const KernelTable& kernels, float) {
  return kernels.vectors_f32;
}
const kernels::VectorKernels<double>& vector_kernels(const KernelTable& kernels, double) {
  return kernels.vectors_f64;
}

// The elements of an operand, of which one axis has a single element, in a line.
template <class T>
const T* in_a_line(const Operand& operand, std::int64_t count, Workspace& workspace) {
  const T* const from = reinterpret_cast<const T*>(operand.data) + operand.outer->offset(0);
  if (operand.inner->stride() == 1) return from + operand.inner->offset(0);
  T* const line = static_cast<T*>(
      workspace.get(Workspace::kPackedA, static_cast<std::size_t>(count) * sizeof(T)));
  for (std::int64_t i = 0; i < count; ++i) line[i] = from[operand.inner->offset(i)];
  return line;
}

// Lines as far apart as this compete for the same few places of the first-level cache: of 16 lines that are read side
// by side some would be gone before they are used up. 1024 x 1024 took 1.4 times as long.
bool lines_collide(std::int64_t stride, std::size_t item) {
  constexpr std::uint64_t kPlaces = 2048, kNear = 32;
  return (static_cast<std::uint64_t>(stride) * item + kNear) % kPlaces <= 2 * kNear;
}

// VectorArgs::scratch.
template <class T>
T* scratch(bool in_lines, std::int64_t stride, std::int64_t k, Workspace& workspace) {
  if (!in_lines && !lines_collide(stride, sizeof(T))) return nullptr;
  const std::int64_t elements =
      in_lines ? (1 + pending_levels((k + kChunkSteps - 1) / kChunkSteps)) * kVectorStrip : k;
  return static_cast<T*>(workspace.get(Workspace::kPackedB, static_cast<std::size_t>(elements) * sizeof(T)));
}

template <class T>
std::int64_t lanes(const KernelTable& kernels) {
  return (sizeof(T) == 8 ? kernels.tile_columns_f64 : kernels.tile_columns_f32) / 2;
}

// Whether `dots` is faster than small_gemm(): that takes all rows at once, but of each a single element.
bool is_faster_as_vector(std::int64_t n, std::int64_t k, std::int64_t lanes) {
  return may_be_vector(n, k, true) && (k > kChunkSteps || n >= lanes);
}

template <class T>
void run(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, std::int64_t first,
         std::int64_t last) {
  const Roles role = roles(problem);
  const kernels::VectorKernels<T>& functions = vector_kernels(*plan.kernels, T{});
  Workspace& workspace = Workspace::of_this_thread();
  const Operand matrix = operand_at(role.matrix, batch);
  const Target target = target_at(problem, batch, role.swapped);
  const bool direct = target.plain() && target.type == role.matrix.type && target.columns->uniform() &&
                      target.columns->stride() == 1;

  kernels::VectorArgs<T> args{};
  args.x = in_a_line<T>(operand_at(role.vector, batch), problem.k, workspace);
  args.k = problem.k;
  const bool in_lines = matrix.outer->stride() == 1 && std::max(problem.m, problem.n) > 1;
  args.stride = in_lines ? matrix.inner->stride() : matrix.outer->stride();
  args.scratch = scratch<T>(in_lines, args.stride, args.k, workspace);
  T* const sums = direct ? nullptr
                         : static_cast<T*>(workspace.get(Workspace::kPending,
                                                         static_cast<std::size_t>(kVectorStrip) * sizeof(T)));
  for (std::int64_t j = first; j < last; j += kVectorStrip) {
    args.n = std::min(last - j, kVectorStrip);
    args.matrix =
        reinterpret_cast<const T*>(matrix.data) + matrix.outer->offset(j) + matrix.inner->offset(0);
    args.out = direct ? reinterpret_cast<T*>(target.data) + target.rows->offset(0) + target.columns->offset(j)
                      : sums;
    if (in_lines) {
      functions.lines(args);
    } else if (std::max(problem.m, problem.n) == 1) {
      functions.dot(args.x, args.matrix, args.k, args.out);
    } else {
      functions.dots(args);
    }
    if (direct) continue;
    constexpr std::int64_t kRun = 32;  // as finish_tile() takes them
    for (std::int64_t i = 0; i < args.n; i += kRun) {
      finish_tile(target, *plan.kernels, sums + i, kRun, 0, 1, j + i, std::min(args.n - i, kRun));
    }
  }
}

template <class T>
bool run_at_once(const AnyVectorProduct<T>& p, const KernelTable& kernels) {
  const std::int64_t n = std::max(p.m, p.n);
  if (std::min(p.m, p.n) != 1 || p.k < 1 || n > kSmallWork || p.k > kSmallWork || n * p.k > kSmallWork) return false;
  const bool row = p.m == 1;
  const std::int64_t outer = row ? p.b_column : p.a_row, inner = row ? p.b_step : p.a_step;
  const std::int64_t step = row ? p.a_step : p.b_step, next = row ? p.c_column : p.c_row;
  const bool in_steps = inner == 1 || p.k == 1, in_outputs = n > 1 && outer == 1;
  if ((step != 1 && p.k > 1) || (next != 1 && n > 1) || !(in_steps || in_outputs)) return false;
  if (in_outputs ? p.k <= kChunkSteps : !is_faster_as_vector(n, p.k, lanes<T>(kernels))) return false;

  const ScopedFloatEnvironment environment;
  const kernels::VectorKernels<T>& functions = vector_kernels(kernels, T{});
  kernels::VectorArgs<T> args{row ? p.a : p.b, row ? p.b : p.a, in_outputs ? inner : outer, 0, p.k, p.c, nullptr};
  if (!in_outputs && n == 1) {
    functions.dot(args.x, args.matrix, p.k, p.c);
    return true;
  }
  const WorkspaceUse use;
  args.scratch = scratch<T>(in_outputs, args.stride, p.k, Workspace::of_this_thread());
  for (std::int64_t j = 0; j < n; j += kVectorStrip) {
    args.n = std::min(n - j, kVectorStrip);
    (in_outputs ? functions.lines : functions.dots)(args);
    args.matrix += kVectorStrip * (in_outputs ? 1 : outer);
    args.out += kVectorStrip;
  }
  return true;
}

}  // namespace

bool vector_at_once(const AnyVectorProduct<float>& product, const KernelTable& kernels) {
  return run_at_once(product, kernels);
}
bool vector_at_once(const AnyVectorProduct<double>& product, const KernelTable& kernels) {
  return run_at_once(product, kernels);
}

bool is_vector_product(const GemmProblem& problem) {
  if (std::min(problem.m, problem.n) != 1 || problem.k < 1) return false;
  const bool is_float = problem.algorithm == DotAlgorithm::kF32_F32_F32;
  if (!is_float && problem.algorithm != DotAlgorithm::kF64_F64_F64) return false;
  const ElementType type = is_float ? ElementType::kF32 : ElementType::kF64;
  const auto fits = [type](const Source& source) {
    return source.packed == nullptr && source.type == type && source.outer.uniform() && source.inner.uniform() &&
           reinterpret_cast<std::uintptr_t>(source.data) % size_of(type) == 0;
  };
  const Roles role = roles(problem);
  return fits(role.vector) && fits(role.matrix) &&
         (role.vector.inner.stride() == 1 || problem.k <= kMaxCopied) &&
         (role.matrix.inner.stride() == 1 ||
          (role.matrix.outer.stride() == 1 && std::max(problem.m, problem.n) > 1));
}

bool is_rather_vector(const GemmProblem& problem, const KernelTable& kernels) {
  if (!is_vector_product(problem)) return false;
  const std::int64_t n = std::max(problem.m, problem.n);
  const Source& matrix = roles(problem).matrix;
  const std::int64_t width = problem.algorithm == DotAlgorithm::kF64_F64_F64 ? lanes<double>(kernels)
                                                                            : lanes<float>(kernels);
  return (n == 1 || matrix.outer.stride() != 1) && is_faster_as_vector(n, problem.k, width);
}

void vector_gemm(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, std::int64_t first,
                 std::int64_t last) {
  if (problem.algorithm == DotAlgorithm::kF64_F64_F64) {
    run<double>(problem, plan, batch, first, last);
  } else {
    run<float>(problem, plan, batch, first, last);
  }
}

}  // namespace matprec::gemm
