// The front ends whose operands are vectors: vdot, and vecdot, matvec, vecmat, which broadcast.
#include <optional>
#include <string>

#include "matprec/contractions.h"
#include "matprec/error.h"
#include "src/dot/conjugate.h"
#include "src/dot/dot_shape.h"
#include "src/dot/labelled.h"
#include "src/dot/product.h"
#include "src/dot/strided_copy.h"
#include "src/gemm/axis.h"

namespace matprec {
namespace contraction {
namespace {

// A left operand as the product takes it; real ones are not copied.
class Conjugate {
 public:
  explicit Conjugate(const TensorView& view) : view_(view) {
    if (!is_complex(view.type())) return;
    copy_.emplace(conjugated(view));
    view_ = *copy_;
  }
  Conjugate(const Conjugate&) = delete;
  Conjugate& operator=(const Conjugate&) = delete;
  const TensorView& view() const { return view_; }

 private:
  std::optional<Tensor> copy_;
  TensorView view_;
};

void check_operand(const Call& call, const char* name, const TensorView& view, std::size_t rank) {
  check_view(call.op, name, view);
  check_address(call.op, name, view);
  if (view.rank() >= rank) return;
  throw Error(std::string(call.op) + ": " + name + " has shape " + to_string(view.shape()) +
              " of rank " + std::to_string(view.rank()) + "; expected rank " +
              std::to_string(rank) + " or more");
}

// The labels of a view: 'k' along `axis`, batch dimensions around it.
Labelled along(const Call& call, const char* name, const TensorView& view, std::int64_t axis) {
  const std::int64_t rank = static_cast<std::int64_t>(view.rank());
  if (axis < -rank || axis >= rank) {
    throw Error(std::string(call.op) + ": axis is " + std::to_string(axis) + ", but " + name +
                " has shape " + to_string(view.shape()) + "; axes of rank " + std::to_string(rank) +
                " are " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
  }
  const std::int64_t at = axis < 0 ? axis + rank : axis;
  Labels labels;
  Label batch = -(rank - 1);
  for (std::int64_t i = 0; i < rank; ++i) labels.push_back(i == at ? 'k' : batch++);
  return {labels, view};
}

// Shapes are checked before lhs is copied for its conjugate.
Tensor batched_product(const Call& call, bool conjugates, const Labelled& lhs, const Labelled& rhs,
                       const Labels& last) {
  const LabelledProduct p = lower_batched(call.op, lhs, rhs, last);
  if (!conjugates || !is_complex(call.lhs.type())) {
    return product(call, p.lhs, p.rhs, p.numbers, &p.layout);
  }
  const Conjugate conjugate(lhs.view);
  const LabelledProduct c = lower_batched(call.op, {lhs.labels, conjugate.view()}, rhs, last);
  return product(call, c.lhs, c.rhs, c.numbers, &c.layout);
}

// The elements in row-major order as a vector; copied only if they do not lie one stride apart.
class Flat {
 public:
  explicit Flat(const TensorView& view) : view_(view) {
    const gemm::Axis axis = gemm::axis_over(view.shape(), view.strides());
    if (!axis.uniform()) copy_.emplace(row_major_copy(view));
    const void* data = copy_ ? copy_->data() : view.data();
    view_ = TensorView(data, view.type(), {axis.size()}, {copy_ ? 1 : axis.stride()});
  }
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;
  const TensorView& view() const { return view_; }

 private:
  std::optional<Tensor> copy_;
  TensorView view_;
};

}  // namespace
}  // namespace contraction

Tensor vdot(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
            SourceLocation where) {
  const contraction::Call call{"vdot", lhs, rhs, options, where};
  contraction::check_operand(call, "lhs", lhs, 0);
  contraction::check_operand(call, "rhs", rhs, 0);
  const auto count = [&](const TensorView& view) {
    return contraction::in_call(call.op, [&] { return element_count(view.shape()); });
  };
  const std::int64_t lhs_count = count(lhs), rhs_count = count(rhs);
  if (lhs_count != rhs_count) {
    throw Error("vdot: lhs of shape " + to_string(lhs.shape()) + " has " +
                std::to_string(lhs_count) + " elements, rhs of shape " + to_string(rhs.shape()) +
                " has " + std::to_string(rhs_count) + "; they must be as many");
  }
  const contraction::Conjugate conjugate(lhs);
  const contraction::Flat a(conjugate.view()), b(rhs);
  return contraction::product(call, a.view(), b.view(),
                              {.lhs_contracting = {0}, .rhs_contracting = {0}});
}

Tensor vecdot(const TensorView& lhs, const TensorView& rhs, std::int64_t axis,
              const DotOptions& options, SourceLocation where) {
  const contraction::Call call{"vecdot", lhs, rhs, options, where};
  contraction::check_operand(call, "lhs", lhs, 1);
  contraction::check_operand(call, "rhs", rhs, 1);
  const contraction::Labelled a = contraction::along(call, "lhs", lhs, axis);
  const contraction::Labelled b = contraction::along(call, "rhs", rhs, axis);
  return contraction::batched_product(call, true, a, b, {});
}

Tensor matvec(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
              SourceLocation where) {
  const contraction::Call call{"matvec", lhs, rhs, options, where};
  contraction::check_operand(call, "lhs", lhs, 2);
  contraction::check_operand(call, "rhs", rhs, 1);
  return contraction::batched_product(call, false, contraction::with_batch(lhs, {'i', 'k'}),
                                      contraction::with_batch(rhs, {'k'}), {'i'});
}

Tensor vecmat(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
              SourceLocation where) {
  const contraction::Call call{"vecmat", lhs, rhs, options, where};
  contraction::check_operand(call, "lhs", lhs, 1);
  contraction::check_operand(call, "rhs", rhs, 2);
  return contraction::batched_product(call, true, contraction::with_batch(lhs, {'k'}),
                                      contraction::with_batch(rhs, {'k', 'j'}), {'j'});
}

}  // namespace matprec
