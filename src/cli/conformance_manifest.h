// Golden manifests: cases with inputs, expected outputs and rules, read and checked.
//
// Knows the format of manifest.json and of the files it names; neither runs nor judges anything.
// What is wrong with a manifest or a file is an io::FileError.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_MANIFEST_H_
#define MATPREC_SRC_CLI_CONFORMANCE_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matprec/dims.h"
#include "matprec/tensor.h"
#include "src/io/json.h"
#include "src/io/npy.h"

namespace matprec::cli {

// An operand that is a part of its file's flat data; counted in elements.
struct ManifestView {
  std::int64_t offset = 0;
  Dims shape, strides;
};

struct ManifestArray {
  std::string name, file, dtype;
  Dims shape;  // the file's
  std::optional<ManifestView> view;
};

enum class RuleType { kExact, kMaxUlp, kRtolAtol, kErrorBound, kFrobeniusBand, kInfo };

struct Rule {
  RuleType type = RuleType::kInfo;
  bool nan_bits = false, zero_sign = false;  // kExact
  double ulp = 0;                            // kMaxUlp
  double rtol = 0, atol = 0;                 // kRtolAtol
  std::optional<double> bound = {};          // kErrorBound: a number, or
  std::string bound_file = {};               // an array of the output's shape
  double low = 0, high = 0;                  // kFrobeniusBand
  std::string mask_file = {};                // any type; only elements with 1 are compared
  std::string text = {};                     // the rule as the manifest has it
};

struct ManifestOutput {
  ManifestArray array;
  std::string produced_dtype;  // the type to be returned; array.dtype if nothing else is said
  Rule rule;
};

struct ManifestCase {
  std::string name, kind, op;
  io::Json attributes;
  std::vector<ManifestArray> inputs;
  std::vector<ManifestOutput> expected;

  // nullptr if there is none of that name.
  const ManifestArray* input(const std::string& input_name) const;
};

struct Manifest {
  std::string directory, family;
  std::vector<ManifestCase> cases;
};

Manifest read_manifest(const std::string& directory);

// The directories that hold a manifest.json: this one, or those directly below it, by name.
// Errors: there is none.
std::vector<std::string> manifest_directories(const std::string& directory);

// A number; "inf", "-inf" and "nan" stand for themselves. `place` opens the error text.
double manifest_number(const io::Json& value, const std::string& place);
Dims manifest_dims(const io::Json& value, const std::string& place);
ManifestView manifest_view(const io::Json& value, const std::string& place);

// A file of a manifest, held to the dtype and shape that the manifest gives.
struct LoadedArray {
  io::NpyArray array;
  TensorView view;  // into array, also where the manifest's view is only a part
};
LoadedArray load_array(const std::string& directory, const ManifestArray& spec);
// The same as a row-major tensor of the whole file.
Tensor load_tensor(const std::string& directory, const ManifestArray& spec);
// A mask: uint8 or bool of this shape.
std::vector<bool> load_mask(const std::string& directory, const std::string& file,
                            const Dims& shape);
// A bound: float32 or float64 of this shape.
Tensor load_bound(const std::string& directory, const std::string& file, const Dims& shape);

// Errors, with `place`: the view names elements outside `count` ones.
void check_view(const ManifestView& view, std::int64_t count, const std::string& place);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_MANIFEST_H_
