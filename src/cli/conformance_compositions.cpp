// Cases of what people build from products: chains, distances, covariances, a DFT.
#include <utility>

#include "matprec/contractions.h"
#include "matprec/convert.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/conformance_ops.h"
#include "src/cli/pairwise_distance.h"

namespace matprec::cli {

CaseOutputs run_matmul_chain_case(const ManifestCase& test, const std::string& directory) {
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
  return one_output(test, std::move(product));
}

CaseOutputs run_pairwise_distance_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  PairwiseDistance made = pairwise_distance(x.view, request_of(test));
  CaseOutputs outputs;
  outputs.emplace_back("gram", std::move(made.gram));
  outputs.emplace_back("sqdist", std::move(made.sqdist));
  return outputs;
}

CaseOutputs run_covariance_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray centered = load_input(test, directory, "centered");
  CaseOutputs outputs;
  outputs.emplace_back("scatter", tensordot(centered.view, centered.view, {{0}, {0}},
                                            {.precision = request_of(test)}));
  return outputs;
}

CaseOutputs run_normal_equations_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray a = load_input(test, directory, "a"), b = load_input(test, directory, "b");
  const DotOptions options{.precision = request_of(test)};
  CaseOutputs outputs;
  outputs.emplace_back("ata", tensordot(a.view, a.view, {{0}, {0}}, options));
  outputs.emplace_back("atb", tensordot(a.view, b.view, {{0}, {0}}, options));
  return outputs;
}

CaseOutputs run_dft_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  const DotOptions options{.precision = request_of(test)};
  CaseOutputs outputs;
  outputs.emplace_back("re", matmul(x.view, load_input(test, directory, "cos").view, options));
  outputs.emplace_back("im",
                       matmul(x.view, load_input(test, directory, "minus_sin").view, options));
  return outputs;
}

}  // namespace matprec::cli
