// `matprec conformance`: golden manifests, each case by its rule.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/conformance_case.h"
#include "src/cli/conformance_report.h"
#include "src/cli/conformance_rules.h"
#include "src/cli/conformance_support.h"
#include "src/cli/exit_code.h"
#include "src/cli/number_text.h"
#include "src/cli/progress.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

struct Options {
  std::vector<std::string> directories;
  std::optional<std::string> out, only;
  bool verbose = false, json = false;
};

// CASE__OUTPUT.npy, or CASE.npy if the case has one compared output.
void write_outputs(const ManifestCase& test, const CaseOutputs& outputs,
                   const std::string& folder) {
  std::size_t compared = 0;
  for (const ManifestOutput& expected : test.expected) {
    if (expected.rule.type != RuleType::kInfo) ++compared;
  }
  for (const auto& [name, tensor] : outputs) {
    const std::string file = compared == 1 ? test.name : test.name + "__" + name;
    io::write_npy(folder + "/" + file + ".npy", tensor);
  }
}

std::optional<std::string> problem_of(const ManifestOutput& expected, const CaseOutputs& outputs,
                                      const std::string& directory) {
  const auto produced = std::ranges::find_if(
      outputs, [&](const auto& output) { return output.first == expected.array.name; });
  if (produced == outputs.end()) return "this output is not known for its op";
  const Tensor wanted = load_tensor(directory, expected.array);
  RuleData data;
  std::optional<Tensor> bound;
  std::vector<bool> mask;
  if (!expected.rule.bound_file.empty()) {
    bound.emplace(load_bound(directory, expected.rule.bound_file, expected.array.shape));
    data.bound = &*bound;
  }
  if (!expected.rule.mask_file.empty()) {
    mask = load_mask(directory, expected.rule.mask_file, expected.array.shape);
    data.mask = &mask;
  }
  return violation(expected.rule, expected.produced_dtype, produced->second, wanted, data);
}

// Empty: passed. What is wrong with the manifest or its files stays an exception.
std::vector<std::string> problems_of(const ManifestCase& test, const std::string& directory,
                                     const std::string& out_folder) {
  std::vector<std::string> problems;
  try {
    if (test.op == "dot_general_verify") {
      if (const auto problem = verify_violation(test)) problems.push_back(*problem);
      return problems;
    }
    const CaseOutputs outputs = run_case(test, directory);
    if (!out_folder.empty()) write_outputs(test, outputs, out_folder);
    for (const ManifestOutput& expected : test.expected) {
      if (expected.rule.type == RuleType::kInfo) continue;
      if (const auto problem = problem_of(expected, outputs, directory)) {
        problems.push_back(expected.array.name + ": " + *problem + "; rule " + expected.rule.text);
      }
    }
  } catch (const io::FileError&) {
    throw;
  } catch (const Error& e) {
    problems.push_back(std::string("the library refused: ") + e.what());
  } catch (const io::JsonError& e) {
    throw io::FileError(directory + "/manifest.json", "case " + test.name + ": " + e.what());
  }
  return problems;
}

bool is_chosen(const ManifestCase& test, const Options& options) {
  return !options.only || test.name.find(*options.only) != test.name.npos;
}

FamilyReport run_family(const Manifest& manifest, const Options& options,
                        const std::string& out_folder) {
  FamilyReport report{.family = manifest.family, .directory = manifest.directory};
  Progress progress("conformance " + manifest.family);
  std::int64_t done = 0;
  for (const ManifestCase& test : manifest.cases) {
    progress.report(done++, static_cast<std::int64_t>(manifest.cases.size()), "cases");
    if (!is_chosen(test, options)) continue;
    ++report.cases;
    if (const auto reason = reason_not_to_run(test)) {
      report.not_run[*reason].push_back(test.name);
      continue;
    }
    std::vector<std::string> problems = problems_of(test, manifest.directory, out_folder);
    if (problems.empty()) {
      ++report.passed;
    } else {
      report.failed.push_back({test.name, std::move(problems)});
    }
  }
  return report;
}

std::string prepared_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw io::FileError(folder, "cannot be made: " + error.message());
  return folder;
}

// Recorded levels are a CPU's, where each of them is float32.
class CpuPlatform {
 public:
  CpuPlatform() : before_(platform()) { set_platform(Platform::kCpu); }
  ~CpuPlatform() { set_platform(before_); }
  CpuPlatform(const CpuPlatform&) = delete;
  CpuPlatform& operator=(const CpuPlatform&) = delete;

 private:
  Platform before_;
};

int run(const Options& options) {
  std::vector<Manifest> manifests;
  for (const std::string& directory : options.directories) {
    for (const std::string& found : manifest_directories(directory)) {
      manifests.push_back(read_manifest(found));
    }
  }
  const CpuPlatform cpu;
  if (effective().source != Source::kBuiltIn) {
    std::cerr << "matprec conformance: note: cases that name no algorithm run "
              << to_string(effective()) << '\n';
  }
  std::size_t failed = 0, not_run = 0, passed = 0;
  if (options.only && std::ranges::none_of(manifests, [&](const Manifest& manifest) {
        return std::ranges::any_of(manifest.cases,
                                   [&](const ManifestCase& test) { return is_chosen(test, options); });
      })) {
    throw Error("matprec conformance: no case has \"" + *options.only + "\" in its name");
  }
  io::Json families = io::Json::array();
  for (const Manifest& manifest : manifests) {
    std::string out_folder;
    if (options.out) {
      out_folder = prepared_folder(manifests.size() == 1 ? *options.out
                                                         : *options.out + "/" + manifest.family);
    }
    const FamilyReport report = run_family(manifest, options, out_folder);
    failed += report.failed.size();
    not_run += report.not_run_count();
    passed += report.passed;
    if (options.json) {
      families.push_back(report_json(report));
    } else {
      std::cout << report_text(report, options.verbose) << std::flush;
    }
  }
  const int code = failed > 0 ? kFailed : not_run > 0 ? kIncomplete : kSuccess;
  if (options.json) {
    const io::Json result = {{"exit_code", code}, {"families", families}};
    std::cout << json_text(result) << '\n';
  } else if (manifests.size() > 1) {
    std::cout << "all: " << passed << " passed, " << failed << " failed, " << not_run
              << " not run\n";
  }
  return code;
}

}  // namespace

Command conformance_command() {
  const auto options = std::make_shared<Options>();
  return {"conformance",
          "Run the cases of golden manifests by their rules (exit code 1: a case failed; 3: some "
          "could not be run)",
          {{"directories", &options->directories,
            "Folders with a manifest.json, or folders of such", "DIR", true},
           {"--out", &options->out,
            "Write what was produced into this folder (a folder a family, if there are several)"},
           {"--only", &options->only, "Only cases with this text in their name"},
           {"--verbose", &options->verbose, "Name each case that was not run"},
           {"--json", &options->json, "Print JSON"}},
          [options] { return run(*options); }};
}

}  // namespace matprec::cli
