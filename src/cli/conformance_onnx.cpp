// Cases of ONNX operators. Einsum is run_einsum_case.
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "src/cli/conformance_ops.h"

namespace matprec::cli {
namespace {

// The view read as `shape`: aligned at the last dimension, sizes equal or 1.
TensorView broadcast(const ManifestCase& test, const TensorView& view, const Dims& shape) {
  const std::size_t missing = shape.size() - view.rank();
  Dims strides;
  strides.resize(shape.size());
  for (std::size_t i = 0; i < view.rank(); ++i) {
    const std::int64_t size = view.shape()[i];
    if (view.rank() > shape.size() || (size != 1 && size != shape[missing + i])) {
      throw io::FileError("case " + test.name, "input \"c\" of shape " + to_string(view.shape()) +
                                                   " does not broadcast to " + to_string(shape));
    }
    strides[missing + i] = size == 1 ? 0 : view.strides()[i];
  }
  return TensorView(view.data(), view.type(), shape, strides);
}

// A matrix by its dimension that is summed; the other one is left.
std::int64_t kept_size(const ManifestCase& test, const TensorView& view, std::int64_t summed) {
  if (view.rank() != 2) {
    throw io::FileError("case " + test.name,
                        "an operand has shape " + to_string(view.shape()) + ", expected a matrix");
  }
  return view.shape()[static_cast<std::size_t>(1 - summed)];
}

std::optional<ElementType> onnx_type(std::string_view name) {
  constexpr std::pair<std::string_view, ElementType> kNames[] = {
      {"float", ElementType::kF32},
      {"double", ElementType::kF64},
      {"float16", ElementType::kF16},
      {"bfloat16", ElementType::kBF16},
      {"float8e4m3fn", ElementType::kF8E4M3FN},
      {"float8e4m3fnuz", ElementType::kF8E4M3FNUZ},
      {"float8e5m2", ElementType::kF8E5M2},
      {"float8e5m2fnuz", ElementType::kF8E5M2FNUZ}};
  for (const auto& [known, type] : kNames) {
    if (name == known) return type;
  }
  return std::nullopt;
}

}  // namespace

CaseOutputs run_onnx_matmul_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray a = load_input(test, directory, "a"), b = load_input(test, directory, "b");
  return one_output(test, matmul(a.view, b.view));
}

// Y = alpha * A' * B' + beta * C.
CaseOutputs run_onnx_gemm_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray a = load_input(test, directory, "a"), b = load_input(test, directory, "b");
  const std::int64_t a_summed = test.attributes.value_or("transA", 0) != 0 ? 0 : 1;
  const std::int64_t b_summed = test.attributes.value_or("transB", 0) != 0 ? 1 : 0;
  Tensor y(result_type(a.view.type(), b.view.type()),
           {kept_size(test, a.view, a_summed), kept_size(test, b.view, b_summed)});
  DotEpilogue epilogue{.alpha = factor_of(test, "alpha", 1)};
  std::optional<LoadedArray> c;
  if (test.input("c") != nullptr) {
    c.emplace(load_input(test, directory, "c"));
    epilogue.c = broadcast(test, c->view, y.shape());
    epilogue.beta = factor_of(test, "beta", 1);
  }
  dot_general_into(y, a.view, b.view,
                   {.lhs_contracting = {a_summed}, .rhs_contracting = {b_summed}}, {}, epilogue);
  return one_output(test, std::move(y));
}

CaseOutputs run_onnx_cast_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "input");
  const std::string to = test.attributes.value_or("to", "");
  const std::optional<ElementType> type = onnx_type(to);
  if (!type) throw io::FileError("case " + test.name, "\"to\" is " + to + ", no type known here");
  // ONNX's casts to 8-bit floats saturate unless they say otherwise; others never do.
  const bool saturate = is_float8(*type) && test.attributes.value_or("saturate", 1) != 0;
  return one_output(test, convert(x.view, *type, {.saturate = saturate}));
}

}  // namespace matprec::cli
