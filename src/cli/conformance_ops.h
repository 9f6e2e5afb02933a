// The ops of golden cases that can be run, a function each, and what these share.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_OPS_H_
#define MATPREC_SRC_CLI_CONFORMANCE_OPS_H_

#include <complex>
#include <string>

#include "src/cli/conformance_case.h"
#include "src/cli/conformance_manifest.h"

namespace matprec::cli {

// Each runs a case of its op. Errors: as run_case's.
using CaseFunction = CaseOutputs(const ManifestCase& test, const std::string& directory);

CaseFunction run_dot_general_case, run_dot_general_vjp_case;
CaseFunction run_matmul_case, run_einsum_case, run_tensordot_case, run_dot_case, run_inner_case,
    run_vdot_case, run_vecdot_case;
CaseFunction run_convert_case, run_split_case;
CaseFunction run_matmul_chain_case, run_pairwise_distance_case, run_covariance_case,
    run_normal_equations_case, run_dft_case;
CaseFunction run_onnx_matmul_case, run_onnx_gemm_case, run_onnx_cast_case;

// Errors: FileError if the case has no input of that name, or the file is not as the manifest says.
LoadedArray load_input(const ManifestCase& test, const std::string& directory, const char* name);

// An attribute that may be absent or null: a number, or [real, imaginary].
std::complex<double> factor_of(const ManifestCase& test, const char* key, double otherwise);

// The one output of a case, under the name that the case gives it.
CaseOutputs one_output(const ManifestCase& test, Tensor output);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_OPS_H_
