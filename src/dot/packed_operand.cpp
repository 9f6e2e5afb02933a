#include "matprec/packed_operand.h"

#include <string>
#include <utility>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "matprec/runtime.h"
#include "src/dot/dot_shape.h"
#include "src/dot/product.h"
#include "src/dot/result_type.h"
#include "src/error_text.h"
#include "src/gemm/packed_panels.h"
#include "src/kernels/targets.h"

namespace matprec {

struct detail::PackedOperandData {
  Dims shape, contracting;
  ElementType type;
  gemm::PackedPanels panels;

  static const PackedOperandData& of(const PackedOperand& operand) { return *operand.data_; }
  // The operand for those who look at shapes and types: where its elements would be nobody may read.
  TensorView view() const { return {panels.data.get(), type, shape}; }
};

namespace {

using contraction::Call;
using detail::PackedOperandData;

constexpr std::string_view kOp = "PackedOperand";

void check_contracting(const TensorView& operand, const Dims& contracting) {
  for (std::size_t i = 0; i < contracting.size(); ++i) {
    const std::int64_t dim = contracting[i];
    const std::string text = std::string(kOp) + ": contracting is " + to_string(contracting) + ", but ";
    if (dim < 0 || dim >= static_cast<std::int64_t>(operand.rank())) {
      throw Error(text + "the operand has shape " + to_string(operand.shape()) + ", whose dimensions are 0 to " +
                  std::to_string(static_cast<std::int64_t>(operand.rank()) - 1));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (contracting[j] == dim) throw Error(text + "names dimension " + std::to_string(dim) + " twice");
    }
  }
}

gemm::Axis axis_of(const TensorView& operand, const Dims& dims) {
  gemm::Axis axis;
  for (const std::int64_t dim : dims) {
    axis.add(operand.shape()[static_cast<std::size_t>(dim)], operand.strides()[static_cast<std::size_t>(dim)]);
  }
  return axis;
}

Dims kept(const TensorView& operand, const Dims& contracting) {
  Dims result;
  for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(operand.rank()); ++dim) {
    bool summed = false;
    for (const std::int64_t other : contracting) summed = summed || other == dim;
    if (!summed) result.push_back(dim);
  }
  return result;
}

PackedOperandData pack(const TensorView& operand, const Dims& contracting, const PrecisionRequest& precision,
                       ElementType other) {
  contraction::check_view(kOp, "the operand", operand);
  check_contracting(operand, contracting);
  if (!is_element_type(other)) check_enumerator(std::string(kOp) + ": other", other);
  if (is_complex(operand.type()) || is_complex(other)) {
    throw Error(std::string(kOp) + ": complex elements (" + std::string(to_string(operand.type())) + " with " +
                std::string(to_string(other)) +
                ") are not packed; multiply them as they are, or pack their real and imaginary parts");
  }
  result_type(operand.type(), other);  // throws if there is none
  const Resolution resolution = resolve(precision, operand.type(), other);
  const std::int64_t count = element_count(operand.shape());
  if (count > 0) contraction::check_address(kOp, "the operand", operand);
  const gemm::Source source{operand.data(), operand.type(), {}, axis_of(operand, kept(operand, contracting)),
                            axis_of(operand, contracting)};
  // As many bytes as the operand has: whoever looks for shared memory must find none that is not its own.
  const std::size_t least = static_cast<std::size_t>(count) * size_of(operand.type());
  return {operand.shape(), contracting, operand.type(),
          gemm::pack_panels(source, resolution.algorithm, kernels::current(), source.outer.size(),
                            source.inner.size(), num_threads(), least)};
}

}  // namespace

PackedOperand::PackedOperand(const TensorView& operand, const Dims& contracting, const PrecisionRequest& precision,
                             std::optional<ElementType> other)
    : data_(std::make_shared<const PackedOperandData>(
          pack(operand, contracting, precision, other.value_or(operand.type())))) {}

const Dims& PackedOperand::shape() const { return data_->shape; }
ElementType PackedOperand::type() const { return data_->type; }
const Dims& PackedOperand::contracting() const { return data_->contracting; }
DotAlgorithm PackedOperand::algorithm() const { return data_->panels.algorithm; }
std::string_view PackedOperand::target() const { return data_->panels.kernels->name; }
std::size_t PackedOperand::bytes() const { return data_->panels.bytes; }

Tensor dot_general(const TensorView& lhs, const Dims& lhs_contracting, const PackedOperand& rhs,
                   const DotOptions& options, SourceLocation where) {
  const PackedOperandData& packed = PackedOperandData::of(rhs);
  const TensorView view = packed.view();
  return contraction::product({"dot_general", lhs, view, options, where, nullptr, nullptr, &packed.panels}, lhs, view,
                              {.lhs_contracting = lhs_contracting, .rhs_contracting = packed.contracting});
}

Tensor dot_general(const PackedOperand& lhs, const TensorView& rhs, const Dims& rhs_contracting,
                   const DotOptions& options, SourceLocation where) {
  const PackedOperandData& packed = PackedOperandData::of(lhs);
  const TensorView view = packed.view();
  return contraction::product({"dot_general", view, rhs, options, where, nullptr, &packed.panels}, view, rhs,
                              {.lhs_contracting = packed.contracting, .rhs_contracting = rhs_contracting});
}

void dot_general_into(const MutableTensorView& out, const TensorView& lhs, const Dims& lhs_contracting,
                      const PackedOperand& rhs, const DotOptions& options, const DotEpilogue& epilogue,
                      SourceLocation where) {
  const PackedOperandData& packed = PackedOperandData::of(rhs);
  const TensorView view = packed.view();
  contraction::product_into({"dot_general", lhs, view, options, where, nullptr, nullptr, &packed.panels}, out,
                            {.lhs_contracting = lhs_contracting, .rhs_contracting = packed.contracting}, epilogue);
}

void dot_general_into(const MutableTensorView& out, const PackedOperand& lhs, const TensorView& rhs,
                      const Dims& rhs_contracting, const DotOptions& options, const DotEpilogue& epilogue,
                      SourceLocation where) {
  const PackedOperandData& packed = PackedOperandData::of(lhs);
  const TensorView view = packed.view();
  contraction::product_into({"dot_general", view, rhs, options, where, nullptr, &packed.panels}, out,
                            {.lhs_contracting = packed.contracting, .rhs_contracting = rhs_contracting}, epilogue);
}

}  // namespace matprec
