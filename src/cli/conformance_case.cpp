#include "src/cli/conformance_case.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>

#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/element_value.h"
#include "src/cli/pairwise_distance.h"

namespace matprec::cli {
namespace {

LoadedArray load_input(const ManifestCase& test, const std::string& directory, const char* name) {
  const ManifestArray* spec = test.input(name);
  if (spec == nullptr) {
    throw io::FileError("case " + test.name, std::string("lacks the input \"") + name + "\"");
  }
  return load_array(directory, *spec);
}

// A number, or [real, imaginary].
std::complex<double> factor_of(const ManifestCase& test, const char* key, double otherwise) {
  const auto found = test.attributes.find(key);
  if (found == test.attributes.end() || found->is_null()) return otherwise;
  const std::string place = "case " + test.name + ": " + key;
  if (!found->is_array()) return manifest_number(*found, place);
  if (found->size() != 2) throw io::FileError(place, "is no number and no pair of numbers");
  return {manifest_number((*found)[0], place), manifest_number((*found)[1], place)};
}

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
      return *element_type_named(types[i].get<std::string>(), false);
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

Tensor run_matmul(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "op0");
  const LoadedArray rhs = load_input(test, directory, "op1");
  return matmul(lhs.view, rhs.view,
                {.precision = request_of(test),
                 .preferred_element_type = element_type_of(test, "preferred_element_type")});
}

Tensor run_convert(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  if (test.attributes.value("to", "") == "tf32") return round_to(x.view, PrecisionType::kTF32);
  const std::optional<ElementType> to = element_type_of(test, "to");
  if (!to) throw io::FileError("case " + test.name, "lacks the attribute \"to\"");
  return convert(x.view, *to, {.saturate = test.attributes.value("saturate", false)});
}

CaseOutputs run_split(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  const int parts = test.attributes.value("parts", 0);
  const std::string type = test.attributes.value("part_type", "");
  const PrecisionType precision = type == "tf32"       ? PrecisionType::kTF32
                                  : type == "bfloat16" ? PrecisionType::kBF16
                                                       : PrecisionType::kF16;
  const std::vector<Tensor> made = split(x.view, precision, parts);
  // Parts are named from the largest; the last of several is always "lo".
  constexpr const char* kNames[] = {"hi", "mid"};
  CaseOutputs outputs;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string name = i > 0 && i + 1 == made.size() ? "lo" : kNames[i];
    const auto expected = std::ranges::find_if(
        test.expected, [&](const ManifestOutput& output) { return output.array.name == name; });
    const bool stored_narrow =
        expected != test.expected.end() && expected->produced_dtype == "bfloat16";
    outputs.emplace_back(name, stored_narrow ? convert(made[i], ElementType::kBF16) : made[i]);
  }
  return outputs;
}

Tensor run_chain(const ManifestCase& test, const std::string& directory) {
  const LoadedArray matrices = load_input(test, directory, "matrices");
  const Dims& shape = matrices.view.shape();
  if (shape.size() != 3 || shape[1] != shape[2]) {
    throw io::FileError("case " + test.name, "\"matrices\" has shape " + to_string(shape) +
                                                 ", expected a list of square matrices");
  }
  const TensorView& view = matrices.view;
  const PrecisionRequest request = request_of(test);
  Tensor identity(ElementType::kF32, {shape[1], shape[1]});
  for (std::int64_t i = 0; i < shape[1]; ++i) identity.data<float>()[i * (shape[1] + 1)] = 1;
  Tensor product = view.type() == ElementType::kF32 ? identity : convert(identity, view.type());
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const std::byte* matrix =
        static_cast<const std::byte*>(view.data()) +
        i * view.strides()[0] * static_cast<std::int64_t>(size_of(view.type()));
    product = matmul(product,
                     TensorView(matrix, view.type(), {shape[1], shape[2]},
                                {view.strides()[1], view.strides()[2]}),
                     {.precision = request});
  }
  return product;
}

}  // namespace

CaseOutputs run_case(const ManifestCase& test, const std::string& directory) {
  CaseOutputs outputs;
  if (test.op == "dot_general") {
    outputs.emplace_back("out", run_dot_general(test, directory));
  } else if (test.op == "matmul") {
    outputs.emplace_back("out", run_matmul(test, directory));
  } else if (test.op == "convert") {
    outputs.emplace_back("out", run_convert(test, directory));
  } else if (test.op == "split") {
    outputs = run_split(test, directory);
  } else if (test.op == "matmul_chain") {
    outputs.emplace_back("out", run_chain(test, directory));
  } else if (test.op == "pairwise_sqdist") {
    const LoadedArray x = load_input(test, directory, "x");
    PairwiseDistance made = pairwise_distance(x.view, request_of(test));
    outputs.emplace_back("gram", std::move(made.gram));
    outputs.emplace_back("sqdist", std::move(made.sqdist));
  } else {
    throw io::FileError("case " + test.name, "op " + test.op + " cannot be run");
  }
  return outputs;
}

}  // namespace matprec::cli
