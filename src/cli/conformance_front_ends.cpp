// Cases of the front ends, by their NumPy names.
#include <vector>

#include "matprec/contractions.h"
#include "matprec/einsum.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/conformance_ops.h"

namespace matprec::cli {
namespace {

DotOptions options_of(const ManifestCase& test) {
  return {.precision = request_of(test),
          .preferred_element_type = element_type_of(test, "preferred_element_type"),
          .label = test.name};
}

// Of a front end that takes two operands and options.
template <Tensor (*kFrontEnd)(const TensorView&, const TensorView&, const DotOptions&,
                              SourceLocation)>
CaseOutputs run_pair(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "op0");
  const LoadedArray rhs = load_input(test, directory, "op1");
  return one_output(test, kFrontEnd(lhs.view, rhs.view, options_of(test), {}));
}

}  // namespace

CaseOutputs run_matmul_case(const ManifestCase& test, const std::string& directory) {
  return run_pair<matmul>(test, directory);
}
CaseOutputs run_dot_case(const ManifestCase& test, const std::string& directory) {
  return run_pair<dot>(test, directory);
}
CaseOutputs run_inner_case(const ManifestCase& test, const std::string& directory) {
  return run_pair<inner>(test, directory);
}
CaseOutputs run_vdot_case(const ManifestCase& test, const std::string& directory) {
  return run_pair<vdot>(test, directory);
}

CaseOutputs run_vecdot_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "op0");
  const LoadedArray rhs = load_input(test, directory, "op1");
  const std::int64_t axis = test.attributes.value_or("axis", std::int64_t{-1});
  return one_output(test, vecdot(lhs.view, rhs.view, axis, options_of(test)));
}

CaseOutputs run_tensordot_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray lhs = load_input(test, directory, "op0");
  const LoadedArray rhs = load_input(test, directory, "op1");
  const auto& axes = test.attributes["axes"];
  const DotOptions options = options_of(test);
  if (axes.is_integer()) {
    return one_output(test, tensordot(lhs.view, rhs.view, axes.integer(), options));
  }
  const std::string place = "case " + test.name + ": axes";
  return one_output(test, tensordot(lhs.view, rhs.view,
                                    TensordotAxes{manifest_dims(axes[0], place),
                                                  manifest_dims(axes[1], place)},
                                    options));
}

CaseOutputs run_einsum_case(const ManifestCase& test, const std::string& directory) {
  std::vector<LoadedArray> operands;
  std::vector<TensorView> views;
  for (const ManifestArray& input : test.inputs) {
    operands.push_back(load_array(directory, input));
    views.push_back(operands.back().view);
  }
  const std::string equation = test.attributes["equation"].text();
  return one_output(test, einsum(equation, views, options_of(test)));
}

}  // namespace matprec::cli
