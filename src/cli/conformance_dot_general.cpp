// Cases of dot_general, with alpha, beta, bias, views and converted operands.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "matprec/convert.h"
#include "matprec/derivatives.h"
#include "matprec/dot_general.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/conformance_ops.h"
#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

bool listed(const Dims& dims, std::size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) != dims.end();
}

// Batch dimensions, then the free ones of lhs, then those of rhs. Dimension numbers out of range
// are left to the library, which refuses them.
Dims output_shape(const TensorView& lhs, const TensorView& rhs,
                  const DotDimensionNumbers& numbers) {
  Dims shape;
  for (const std::int64_t dim : numbers.lhs_batch) {
    if (dim >= 0 && dim < static_cast<std::int64_t>(lhs.rank())) {
      shape.push_back(lhs.shape()[static_cast<std::size_t>(dim)]);
    }
  }
  for (std::size_t d = 0; d < lhs.rank(); ++d) {
    if (!listed(numbers.lhs_batch, d) && !listed(numbers.lhs_contracting, d)) {
      shape.push_back(lhs.shape()[d]);
    }
  }
  for (std::size_t d = 0; d < rhs.rank(); ++d) {
    if (!listed(numbers.rhs_batch, d) && !listed(numbers.rhs_contracting, d)) {
      shape.push_back(rhs.shape()[d]);
    }
  }
  return shape;
}

// With alpha, beta, bias, or into a view of a flat buffer.
Tensor dot_general_with_epilogue(const ManifestCase& test, const std::string& directory,
                                 const TensorView& lhs, const TensorView& rhs,
                                 const DotDimensionNumbers& numbers, const DotOptions& options) {
  DotEpilogue epilogue{.alpha = factor_of(test, "alpha", 1), .beta = factor_of(test, "beta", 0)};
  const ElementType type =
      options.preferred_element_type.value_or(result_type(lhs.type(), rhs.type()));
  std::optional<LoadedArray> bias;
  if (test.input("bias") != nullptr) {
    bias.emplace(load_input(test, directory, "bias"));
    epilogue.bias = bias->view;
  }
  const ManifestArray* c = test.input("c");
  if (test.attributes.contains("out_view")) {
    if (c == nullptr || c->dtype != to_string(type)) {
      throw io::FileError(
          "case " + test.name,
          "out_view needs the input \"c\", the buffer before the call, in the output's type");
    }
    Tensor buffer = load_tensor(directory, *c);
    const ManifestView view =
        manifest_view(test.attributes["out_view"], "case " + test.name + ": out_view");
    check_view(view, buffer.size(), "case " + test.name + ": out_view");
    std::byte* first =
        static_cast<std::byte*>(buffer.data()) +
        (buffer.size() == 0 ? 0 : view.offset) * static_cast<std::int64_t>(size_of(type));
    dot_general_into(MutableTensorView(first, type, view.shape, view.strides), lhs, rhs, numbers,
                     options, epilogue);
    return buffer;
  }
  std::optional<LoadedArray> other_c;
  Tensor out(type, output_shape(lhs, rhs, numbers));
  if (c != nullptr && c->dtype == to_string(type) && !c->view) {
    out = load_tensor(directory, *c);  // the output's old content
  } else if (c != nullptr) {
    other_c.emplace(load_array(directory, *c));
    epilogue.c = other_c->view;
  }
  dot_general_into(out, lhs, rhs, numbers, options, epilogue);
  return out;
}

Tensor run_dot_general(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "lhs");
  const LoadedArray rhs = load_input(test, directory, "rhs");
  TensorView lhs_view = lhs.view, rhs_view = rhs.view;
  std::vector<Tensor> converted;
  if (test.attributes.contains("operand_types") && !test.attributes["operand_types"].is_null()) {
    const auto& types = test.attributes["operand_types"];
    if (!types.is_array() || types.size() != 2) {
      throw io::FileError("case " + test.name, "\"operand_types\" is no list of two types");
    }
    const auto to = [&](std::size_t i) {
      return *element_type_named(types[i].text(), false);
    };
    converted.push_back(convert(lhs_view, to(0)));
    converted.push_back(convert(rhs_view, to(1)));
    lhs_view = converted[0];
    rhs_view = converted[1];
  }
  const DotDimensionNumbers numbers = dimension_numbers_of(test);
  const DotOptions options{
      .precision = request_of(test),
      .preferred_element_type = element_type_of(test, "preferred_element_type"),
      .label = test.name};
  const bool plain = test.inputs.size() == 2 && !test.attributes.contains("out_view") &&
                     !test.attributes.contains("alpha") && !test.attributes.contains("beta");
  if (plain) return dot_general(lhs_view, rhs_view, numbers, options);
  return dot_general_with_epilogue(test, directory, lhs_view, rhs_view, numbers, options);
}

}  // namespace

CaseOutputs run_dot_general_case(const ManifestCase& test, const std::string& directory) {
  return one_output(test, run_dot_general(test, directory));
}

CaseOutputs run_dot_general_vjp_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "lhs");
  const LoadedArray rhs = load_input(test, directory, "rhs");
  const LoadedArray cotangent = load_input(test, directory, "dout");
  DotVjp vjp = dot_general_vjp(lhs.view, rhs.view, dimension_numbers_of(test),
                               {.precision = request_of(test),
                                .preferred_element_type = element_type_of(test, "preferred_element_type"),
                                .transpose_algorithm = transpose_of(test),
                                .label = test.name});
  DotCotangents cotangents = vjp.pullback(cotangent.view, {.type = element_type_of(test, "cotangent_type")});
  CaseOutputs outputs;
  outputs.emplace_back("out", std::move(vjp.out));
  outputs.emplace_back("dlhs", std::move(cotangents.lhs));
  outputs.emplace_back("drhs", std::move(cotangents.rhs));
  return outputs;
}

}  // namespace matprec::cli
