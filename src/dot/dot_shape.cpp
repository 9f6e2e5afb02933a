#include "src/dot/dot_shape.h"

#include <algorithm>
#include <string>

#include "matprec/error.h"
#include "src/error_text.h"

namespace matprec::contraction {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

bool contains(const Dims& list, std::int64_t dim) {
  return std::find(list.begin(), list.end(), dim) != list.end();
}

void check_numbers(std::string_view op, std::string_view side, std::string_view kind,
                   const Dims& numbers, const TensorView& operand) {
  for (std::int64_t dim : numbers) {
    if (dim < 0 || dim >= static_cast<std::int64_t>(operand.rank())) {
      throw Error(std::string(op) + ": " + std::string(side) + " " + std::string(kind) +
                  " dimensions " + to_string(numbers) + " name dimension " + text(dim) +
                  ", but " + std::string(side) + " has shape " + to_string(operand.shape()) +
                  "; dimension numbers are 0 to rank-1 = " +
                  text(static_cast<std::int64_t>(operand.rank()) - 1));
    }
  }
}

void check_distinct(std::string_view op, std::string_view side, std::string_view kind,
                    const Dims& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (numbers[i] == numbers[j]) {
        throw Error(std::string(op) + ": " + std::string(side) + " " + std::string(kind) +
                    " dimensions " + to_string(numbers) + " name dimension " + text(numbers[i]) +
                    " twice; each may stand once");
      }
    }
  }
}

void check_disjoint(std::string_view op, std::string_view side, const Dims& batch,
                    const Dims& contracting) {
  for (std::int64_t dim : batch) {
    if (contains(contracting, dim)) {
      throw Error(std::string(op) + ": " + std::string(side) + " dimension " + text(dim) +
                  " is named both as batch " + to_string(batch) + " and as contracting " +
                  to_string(contracting) + "; it can be one of them");
    }
  }
}

void check_counts(std::string_view op, std::string_view kind, const Dims& lhs, const Dims& rhs) {
  if (lhs.size() == rhs.size()) return;
  throw Error(std::string(op) + ": " + std::string(kind) + " dimensions come in pairs, but lhs has " +
              text(static_cast<std::int64_t>(lhs.size())) + " " + to_string(lhs) + " and rhs has " +
              text(static_cast<std::int64_t>(rhs.size())) + " " + to_string(rhs));
}

void check_sizes(std::string_view op, std::string_view kind, const Dims& lhs_numbers,
                 const Dims& rhs_numbers, const TensorView& lhs, const TensorView& rhs) {
  for (std::size_t i = 0; i < lhs_numbers.size(); ++i) {
    const std::int64_t a = lhs.shape()[static_cast<std::size_t>(lhs_numbers[i])];
    const std::int64_t b = rhs.shape()[static_cast<std::size_t>(rhs_numbers[i])];
    if (a != b) {
      throw Error(std::string(op) + ": " + std::string(kind) + " dims disagree: lhs dim " +
                  text(lhs_numbers[i]) + " has size " + text(a) + ", rhs dim " +
                  text(rhs_numbers[i]) + " has size " + text(b) + " (lhs shape " +
                  to_string(lhs.shape()) + ", rhs shape " + to_string(rhs.shape()) +
                  "); paired sizes must be equal");
    }
  }
}

Dims kept_dimensions(const TensorView& operand, const Dims& batch, const Dims& contracting) {
  Dims kept;
  for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(operand.rank()); ++dim) {
    if (!contains(batch, dim) && !contains(contracting, dim)) kept.push_back(dim);
  }
  return kept;
}

// The sizes of some dimensions, appended to `shape`; their product is returned.
std::int64_t append_sizes(std::string_view op, const TensorView& operand, const Dims& numbers,
                          Dims* shape) {
  Dims sizes;
  for (std::int64_t dim : numbers) sizes.push_back(operand.shape()[static_cast<std::size_t>(dim)]);
  if (shape != nullptr) {
    for (std::int64_t size : sizes) shape->push_back(size);
  }
  return in_call(op, [&] { return element_count(sizes); });
}

}  // namespace

void check_view(std::string_view op, std::string_view name, const TensorView& view) {
  if (!is_element_type(view.type())) {
    check_enumerator(std::string(op) + ": " + std::string(name), view.type());
  }
  if (view.shape().size() != view.strides().size()) {
    throw Error(std::string(op) + ": " + std::string(name) + " has shape " +
                to_string(view.shape()) + " but strides " + to_string(view.strides()) +
                "; there must be one stride a dimension");
  }
  for (std::int64_t size : view.shape()) {
    if (size < 0) {
      throw Error(std::string(op) + ": " + std::string(name) + " has shape " +
                  to_string(view.shape()) + " with the negative size " + text(size) +
                  "; sizes are 0 or more");
    }
  }
}

void check_address(std::string_view op, std::string_view name, const TensorView& view) {
  if (view.data() != nullptr) return;
  for (const std::int64_t size : view.shape()) {
    if (size == 0) return;
  }
  throw Error(std::string(op) + ": " + std::string(name) + " has shape " + to_string(view.shape()) +
              " but a null address; expected the address of its elements");
}

DotShape dot_shape(std::string_view op, const TensorView& lhs, const TensorView& rhs,
                   const DotDimensionNumbers& numbers) {
  check_view(op, "lhs", lhs);
  check_view(op, "rhs", rhs);
  check_numbers(op, "lhs", "contracting", numbers.lhs_contracting, lhs);
  check_numbers(op, "lhs", "batch", numbers.lhs_batch, lhs);
  check_numbers(op, "rhs", "contracting", numbers.rhs_contracting, rhs);
  check_numbers(op, "rhs", "batch", numbers.rhs_batch, rhs);
  check_counts(op, "batch", numbers.lhs_batch, numbers.rhs_batch);
  check_distinct(op, "lhs", "batch", numbers.lhs_batch);
  check_distinct(op, "rhs", "batch", numbers.rhs_batch);
  check_distinct(op, "lhs", "contracting", numbers.lhs_contracting);
  check_distinct(op, "rhs", "contracting", numbers.rhs_contracting);
  check_disjoint(op, "lhs", numbers.lhs_batch, numbers.lhs_contracting);
  check_disjoint(op, "rhs", numbers.rhs_batch, numbers.rhs_contracting);
  check_sizes(op, "batch", numbers.lhs_batch, numbers.rhs_batch, lhs, rhs);
  check_counts(op, "contracting", numbers.lhs_contracting, numbers.rhs_contracting);
  check_sizes(op, "contracting", numbers.lhs_contracting, numbers.rhs_contracting, lhs, rhs);

  DotShape shape;
  shape.lhs_kept = kept_dimensions(lhs, numbers.lhs_batch, numbers.lhs_contracting);
  shape.rhs_kept = kept_dimensions(rhs, numbers.rhs_batch, numbers.rhs_contracting);
  shape.batch = append_sizes(op, lhs, numbers.lhs_batch, &shape.out);
  shape.m = append_sizes(op, lhs, shape.lhs_kept, &shape.out);
  shape.n = append_sizes(op, rhs, shape.rhs_kept, &shape.out);
  shape.k = append_sizes(op, lhs, numbers.lhs_contracting, nullptr);
  // Refuses a result with more elements than can be counted.
  in_call(op, [&] { return element_count(shape.out); });
  return shape;
}

Dims broadcast_strides(std::string_view op, std::string_view name, const TensorView& view,
                       const Dims& shape) {
  check_view(op, name, view);
  const auto refuse = [&]() -> Error {
    return Error(std::string(op) + ": " + std::string(name) + " of shape " +
                 to_string(view.shape()) + " does not broadcast to " + to_string(shape) +
                 "; aligned at the last dimension, each size must be equal or 1");
  };
  if (view.rank() > shape.size()) throw refuse();
  Dims strides;
  strides.resize(shape.size());
  const std::size_t missing = shape.size() - view.rank();
  for (std::size_t i = 0; i < view.rank(); ++i) {
    const std::int64_t size = view.shape()[i];
    if (size != 1 && size != shape[missing + i]) throw refuse();
    strides[missing + i] = size == 1 ? 0 : view.strides()[i];
  }
  return strides;
}

}  // namespace matprec::contraction
