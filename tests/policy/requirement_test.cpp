#include "src/policy/requirement.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

#include "tests/support/child_process.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::in_child;
using enum ElementType;

void check(const PrecisionRequest& argument, ElementType lhs = kF32, ElementType rhs = kF32) {
  check_requirement(resolve(argument, lhs, rhs), lhs, rhs, "matmul");
}

bool passes(const PrecisionRequest& argument, ElementType lhs = kF32, ElementType rhs = kF32) {
  return error_of([&] { check(argument, lhs, rhs); }) == "(no error)";
}

// Everything that reads the environment runs in a child: other tests of this program set variables.
std::string verdicts(const testing::Variables& variables, std::function<std::string()> body) {
  return in_child(variables, std::move(body)).out;
}

TEST(Requirement, RanksInTheSpecifiedOrder) {
  EXPECT_EQ(verdicts({},
                     [] {
                       const char* const order[] = {"bf16_acc", "bf16",   "fp16_acc", "fp16",
                                                    "tf32",     "bf16x3", "tf32x3",   "bf16x6",
                                                    "fp32",     "fp64"};
                       for (int least = 0; least < 10; ++least) {
                         const ScopedRequirement guard(order[least]);
                         for (int run = 0; run < 10; ++run) {
                           if (passes(order[run]) != (run >= least)) {
                             return std::string(order[run]) + " under " + order[least];
                           }
                         }
                       }
                       return std::string("ordered");
                     }),
            "ordered");
}

TEST(Requirement, Bf16x9IsAsGoodAsFp32) {
  EXPECT_EQ(verdicts({{"MATPREC_REQUIRE", "fp32"}},
                     [] { return std::string(passes("bf16x9") ? "passes" : "fails"); }),
            "passes");
}

TEST(Requirement, TheErrorNamesAllConcerned) {
  EXPECT_EQ(verdicts({},
                     [] {
                       const ScopedRequirement guard("fp32", {"suite.cpp", 4});
                       const ScopedPrecision scope("tf32", {"model.cpp", 8});
                       return error_of([] { check({}); });
                     }),
            "matmul: TF32_TF32_F32, chosen by the scope at model.cpp:8, is less precise than "
            "F32_F32_F32, required by the ScopedRequirement at suite.cpp:4; raise the precision of "
            "this product, for example .precision = \"fp32\", or lower the requirement");
}

TEST(Requirement, TheVariableIsNamed) {
  EXPECT_EQ(verdicts({{"MATPREC_REQUIRE", "HIGHEST"}, {"MATPREC_PLATFORM", "tpu"}},
                     [] { return error_of([] { check("bf16x3"); }); }),
            "matmul: BF16_BF16_F32_X3, chosen by the call's argument, is less precise than "
            "BF16_BF16_F32_X6, required by MATPREC_REQUIRE (level highest); raise the precision of "
            "this product, for example .precision = \"bf16x6\", or lower the requirement");
}

TEST(Requirement, AForcedPrecisionIsTheThingToUnset) {
  EXPECT_EQ(verdicts({{"MATPREC_REQUIRE", "fp32"}, {"MATPREC_FORCE_PRECISION", "bf16"}},
                     [] { return error_of([] { check("fp32"); }); }),
            "matmul: BF16_BF16_F32, chosen by MATPREC_FORCE_PRECISION, is less precise than "
            "F32_F32_F32, required by MATPREC_REQUIRE; unset MATPREC_FORCE_PRECISION or raise it, "
            "or lower the requirement");
}

TEST(Requirement, TheStrictestOfSeveralCounts) {
  const auto body = [] {
    const ScopedRequirement outer("bf16x6", {"a.cpp", 1});
    const ScopedRequirement inner("bf16", {"b.cpp", 2});  // cannot weaken what lies around it
    return error_of([] { check("tf32"); });
  };
  EXPECT_NE(
      verdicts({}, body).find("BF16_BF16_F32_X6, required by the ScopedRequirement at a.cpp:1"),
      std::string::npos);
  EXPECT_NE(verdicts({{"MATPREC_REQUIRE", "fp32"}}, body)
                .find("F32_F32_F32, required by MATPREC_REQUIRE"),
            std::string::npos);
}

TEST(Requirement, ActsOnFloat32ProductsOnly) {
  EXPECT_EQ(verdicts({{"MATPREC_REQUIRE", "fp32"}},
                     [] {
                       return std::string(passes({}, kBF16, kBF16) && passes({}, kF16, kF16) &&
                                                  passes("bf16", kF64, kF64) &&
                                                  !passes("bf16", kF32, kBF16)
                                              ? "float32 only"
                                              : "others too");
                     }),
            "float32 only");
}

TEST(Requirement, EndsWithItsGuardInAnyOrder) {
  EXPECT_EQ(verdicts({},
                     [] {
                       std::string seen;
                       std::optional<ScopedRequirement> a(std::in_place, "fp32");
                       std::optional<ScopedRequirement> b(std::in_place, "tf32");
                       a.reset();
                       seen += passes("tf32") ? "tf32 passes" : "tf32 fails";
                       seen += passes("bf16") ? ", bf16 passes" : ", bf16 fails";
                       b.reset();
                       seen += passes("bf16") ? ", bf16 passes" : ", bf16 fails";
                       return seen;
                     }),
            "tf32 passes, bf16 fails, bf16 passes");
}

TEST(Requirement, TravelsWithASnapshot) {
  EXPECT_EQ(verdicts({},
                     [] {
                       std::string seen;
                       const ScopedRequirement guard("fp32");
                       const PolicySnapshot snapshot = capture_policy();
                       std::thread([&] {
                         seen += passes("bf16") ? "free" : "bound";
                         const ScopedPolicy here(snapshot);
                         seen += passes("bf16") ? ", free" : ", bound";
                       }).join();
                       const ScopedPolicy none{PolicySnapshot()};
                       return seen + (passes("bf16") ? ", free" : ", bound");
                     }),
            "free, bound, free");
}

TEST(Requirement, DoesNotCountAsAPrecisionScope) {
  EXPECT_EQ(verdicts({},
                     [] {
                       const ScopedPrecision scope("tf32");
                       const ScopedRequirement guard("tf32");
                       return std::to_string(scope_depth()) + " " +
                              to_string(effective().algorithm).data();
                     }),
            "1 TF32_TF32_F32");
}

TEST(Requirement, MustNameOneLevelOrAlgorithm) {
  EXPECT_EQ(
      verdicts({}, [] { return error_of([] { ScopedRequirement guard("default"); }); }),
      "ScopedRequirement: default requires nothing; name a level or an algorithm, for example "
      "\"fp32\"");
  EXPECT_EQ(verdicts({},
                     [] {
                       return error_of([] {
                         ScopedRequirement guard({Precision::kHigh, Precision::kHighest});
                       });
                     }),
            "ScopedRequirement: the pair (high, highest) belongs to one call's operands; name one "
            "level or one algorithm");
}

}  // namespace
}  // namespace matprec
