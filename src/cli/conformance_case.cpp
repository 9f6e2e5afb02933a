#include "src/cli/conformance_case.h"

#include <string_view>
#include <utility>

#include "src/cli/conformance_ops.h"

namespace matprec::cli {
namespace {

struct Op {
  std::string_view name;
  CaseFunction* run;
};
constexpr Op kOps[] = {{"dot_general", run_dot_general_case},
                       {"dot_general_vjp", run_dot_general_vjp_case},
                       {"matmul", run_matmul_case},
                       {"einsum", run_einsum_case},
                       {"tensordot", run_tensordot_case},
                       {"dot", run_dot_case},
                       {"inner", run_inner_case},
                       {"vdot", run_vdot_case},
                       {"vecdot", run_vecdot_case},
                       {"convert", run_convert_case},
                       {"split", run_split_case},
                       {"matmul_chain", run_matmul_chain_case},
                       {"pairwise_sqdist", run_pairwise_distance_case},
                       {"covariance", run_covariance_case},
                       {"normal_equations", run_normal_equations_case},
                       {"dft_matmul", run_dft_case},
                       {"onnx_einsum", run_einsum_case},
                       {"onnx_matmul", run_onnx_matmul_case},
                       {"onnx_gemm", run_onnx_gemm_case},
                       {"onnx_cast", run_onnx_cast_case}};

const Op* find_op(std::string_view name) {
  for (const Op& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

}  // namespace

LoadedArray load_input(const ManifestCase& test, const std::string& directory, const char* name) {
  const ManifestArray* spec = test.input(name);
  if (spec == nullptr) {
    throw io::FileError("case " + test.name, std::string("lacks the input \"") + name + "\"");
  }
  return load_array(directory, *spec);
}

std::complex<double> factor_of(const ManifestCase& test, const char* key, double otherwise) {
  const auto found = test.attributes.find(key);
  if (found == nullptr || found->is_null()) return otherwise;
  const std::string place = "case " + test.name + ": " + key;
  if (!found->is_array()) return manifest_number(*found, place);
  if (found->size() != 2) throw io::FileError(place, "is no number and no pair of numbers");
  return {manifest_number((*found)[0], place), manifest_number((*found)[1], place)};
}

CaseOutputs one_output(const ManifestCase& test, Tensor output) {
  CaseOutputs outputs;
  outputs.emplace_back(test.expected.empty() ? "out" : test.expected.front().array.name,
                       std::move(output));
  return outputs;
}

bool is_op(const std::string& name) {
  return name == "dot_general_verify" || find_op(name) != nullptr;
}

CaseOutputs run_case(const ManifestCase& test, const std::string& directory) {
  const Op* op = find_op(test.op);
  if (op == nullptr) throw io::FileError("case " + test.name, "op " + test.op + " cannot be run");
  return op->run(test, directory);
}

}  // namespace matprec::cli
