// Cases of conversions and splits.
#include <algorithm>
#include <optional>
#include <vector>

#include "matprec/convert.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/conformance_ops.h"

namespace matprec::cli {

CaseOutputs run_convert_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  if (test.attributes.value_or("to", "") == "tf32") {
    return one_output(test, round_to(x.view, PrecisionType::kTF32));
  }
  const std::optional<ElementType> to = element_type_of(test, "to");
  if (!to) throw io::FileError("case " + test.name, "lacks the attribute \"to\"");
  return one_output(test, convert(x.view, *to, {.saturate = test.attributes.value_or("saturate", false)}));
}

CaseOutputs run_split_case(const ManifestCase& test, const std::string& directory) {
  const LoadedArray x = load_input(test, directory, "x");
  const int parts = test.attributes.value_or("parts", 0);
  const std::string type = test.attributes.value_or("part_type", "");
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

}  // namespace matprec::cli
