// `matprec check`: does this machine give the bits of the definition, on every SIMD target?
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/check_products.h"
#include "src/cli/command.h"
#include "src/cli/element_value.h"
#include "src/cli/exit_code.h"
#include "src/cli/free_choice.h"
#include "src/cli/number_text.h"
#include "src/cli/progress.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

// The settings of this process as they were, again.
class SettingsGuard {
 public:
  SettingsGuard() = default;
  ~SettingsGuard() {
    set_target("");
    set_num_threads(0);
  }
  SettingsGuard(const SettingsGuard&) = delete;
  SettingsGuard& operator=(const SettingsGuard&) = delete;
};

struct TargetReport {
  std::string name;
  std::int64_t products = 0, wrong = 0;
  std::string first_difference = {};  // "" if there is none
};

std::string difference_text(const CheckProduct& product, DotAlgorithm algorithm, int threads,
                            const Tensor& got, const Tensor& expected, std::int64_t i) {
  return std::string(to_string(algorithm)) + ", " + product.description + ", " +
         counted(threads, "thread", "threads") + ": entry " +
         to_string(index_of(i, expected.shape())) + " is " +
         described(got.type(), bits_at(got, i)) + ", expected " +
         described(expected.type(), bits_at(expected, i));
}

std::optional<std::int64_t> first_difference(const Tensor& got, const Tensor& expected) {
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    if (bits_at(got, i) != bits_at(expected, i)) return i;
  }
  return std::nullopt;
}

// Each product once by the oracle, then once a target and thread count.
std::vector<TargetReport> check_all() {
  const SettingsGuard restore;
  std::vector<TargetReport> reports;
  for (const TargetInfo& target : targets()) {
    if (target.usable) reports.push_back({.name = std::string(target.name)});
  }
  const std::vector<CheckProduct> products = check_products();
  std::int64_t total = 0;
  for (const CheckProduct& product : products) {
    total += static_cast<std::int64_t>(product.algorithms().size());
  }
  std::int64_t done = 0;
  Progress progress("matprec check");
  for (const CheckProduct& product : products) {
    for (const DotAlgorithm algorithm : product.algorithms()) {
      progress.report(done++, total, "products");
      const Tensor expected = real_parts(product.by_oracle(algorithm));
      for (TargetReport& report : reports) {
        set_target(report.name);
        for (const int threads : {1, 3}) {
          set_num_threads(threads);
          const Tensor got = real_parts(product.by_library(algorithm));
          ++report.products;
          const std::optional<std::int64_t> at = first_difference(got, expected);
          if (!at) continue;
          ++report.wrong;
          if (report.first_difference.empty()) {
            report.first_difference =
                difference_text(product, algorithm, threads, got, expected, *at);
          }
        }
      }
    }
  }
  return reports;
}

int run(bool json) {
  require_free_choice("matprec check");
  const std::vector<TargetReport> reports = check_all();
  bool passed = true;
  io::Json list = io::Json::array();
  for (const TargetReport& report : reports) {
    passed = passed && report.wrong == 0;
    list.push_back({{"target", report.name},
                    {"products", report.products},
                    {"wrong", report.wrong},
                    {"first_difference", report.first_difference}});
    if (json) continue;
    std::cout << report.name << ": "
              << (report.wrong == 0
                      ? "all " + std::to_string(report.products) +
                            " products have the bits of the oracle"
                      : std::to_string(report.wrong) + " of " + std::to_string(report.products) +
                            " products differ from the oracle; first: " + report.first_difference)
              << '\n';
  }
  if (json) {
    std::cout << io::Json{{"passed", passed}, {"targets", list}}.dump(2) << '\n';
  } else {
    std::cout << (passed ? "passed" : "FAILED") << ": " << kAlgorithms.size()
              << " algorithms on every usable SIMD target, with 1 and 3 threads\n";
  }
  return passed ? kSuccess : kFailed;
}

}  // namespace

Command check_command() {
  const auto json = std::make_shared<bool>(false);
  return {"check",
          "Self-test: every algorithm on every SIMD target against the scalar oracle",
          {{"--json", json.get(), "Print JSON"}},
          [json] { return run(*json); }};
}

}  // namespace matprec::cli
