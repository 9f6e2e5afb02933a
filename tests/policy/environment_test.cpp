#include "src/environment.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "matprec/runtime.h"
#include "src/error_text.h"
#include "tests/support/child_process.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::in_child;
using testing::Variables;

std::string error_with(const Variables& variables) {
  return in_child(variables, [] { return error_of([] { environment(); }); }).out;
}

TEST(Environment, AnInvalidPrecisionIsAnErrorThatShowsTheNearest) {
  for (const std::string name :
       {"MATPREC_DEFAULT_PRECISION", "MATPREC_FORCE_PRECISION", "MATPREC_REQUIRE"}) {
    EXPECT_EQ(error_with({{name, "bf16x4"}}), name + ": unknown value \"bf16x4\"; known: " +
                                                  joined(precision_names()) + "; nearest: bf16x3");
  }
}

// jax#22116, jax#24510 (IL-21): the variables refuse what every other entrance refuses.
TEST(Environment, NothingIsTrimmed) {
  EXPECT_EQ(error_with({{"MATPREC_DEFAULT_PRECISION", " bf16"}}),
            "MATPREC_DEFAULT_PRECISION: unknown value \" bf16\"; known: " +
                joined(precision_names()) + "; nearest: bf16");
  EXPECT_EQ(error_with({{"MATPREC_DEFAULT_PRECISION", "BF16"}}), "(no error)");
}

TEST(Environment, APairIsNoValue) {
  EXPECT_NE(error_with({{"MATPREC_REQUIRE", "(high, highest)"}}), "(no error)");
  EXPECT_NE(error_with({{"MATPREC_DEFAULT_PRECISION", "(high, highest)"}}), "(no error)");
}

TEST(Environment, RequireMustRequireSomething) {
  EXPECT_EQ(error_with({{"MATPREC_REQUIRE", "Default"}}),
            "MATPREC_REQUIRE: \"Default\" requires nothing; known: " +
                joined(precision_names().subspan(1)) +
                "; nearest: fastest; unset it to require nothing");
}

TEST(Environment, AnInvalidPlatformIsAnErrorThatShowsTheNearest) {
  EXPECT_EQ(error_with({{"MATPREC_PLATFORM", "tpv4"}}),
            "MATPREC_PLATFORM: unknown value \"tpv4\"; known: native, tpu, gpu, cpu; nearest: tpu");
}

#if defined(__x86_64__)
TEST(Environment, AnInvalidTargetIsAnErrorThatShowsTheNearest) {
  EXPECT_EQ(error_with({{"MATPREC_TARGET", "AVX512"}}),
            "MATPREC_TARGET: unknown value \"AVX512\"; known: AVX3, AVX2, SSE4, SSSE3, SCALAR, "
            "EMU128; nearest: AVX2");
}

TEST(Environment, AnotherProcessorsTargetIsAnErrorAtOnce) {
  EXPECT_TRUE(error_with({{"MATPREC_TARGET", "NEON"}})
                  .starts_with("MATPREC_TARGET: unknown value \"NEON\"; known: AVX3"));
}
#endif

TEST(Environment, TargetsAreKeptInUpperCase) {
  EXPECT_EQ(in_child({{"MATPREC_TARGET", "avx2"}}, [] { return environment().target; }).out,
            "AVX2");
}

TEST(Environment, ThreadsAreAWholeNumberInRange) {
  const auto text = [](const std::string& value, const std::string& nearest) {
    return "MATPREC_NUM_THREADS: unknown value \"" + value +
           "\"; known: whole numbers from 1 to 1024; nearest: " + nearest;
  };
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "0"}}), text("0", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "-3"}}), text("-3", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "1025"}}), text("1025", "1024"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "99999999999999"}}),
            text("99999999999999", "1024"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "-99999999999999"}}), text("-99999999999999", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "4x"}}), text("4x", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", " 4"}}), text(" 4", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "4,4"}}), text("4,4", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "many"}}), text("many", "1"));
  EXPECT_EQ(error_with({{"MATPREC_NUM_THREADS", "1024"}}), "(no error)");
}

TEST(Environment, SwitchesAreZeroOrOne) {
  for (const std::string name : {"MATPREC_VERBOSE", "MATPREC_NOTICE"}) {
    EXPECT_EQ(error_with({{name, "yes"}}),
              name + ": unknown value \"yes\"; known: 0, 1; nearest: 1");
    EXPECT_EQ(error_with({{name, "off"}}),
              name + ": unknown value \"off\"; known: 0, 1; nearest: 0");
    EXPECT_NE(error_with({{name, "2"}}), "(no error)");
    EXPECT_NE(error_with({{name, "01"}}), "(no error)");
    EXPECT_EQ(error_with({{name, "1"}}), "(no error)");
  }
}

TEST(Environment, VerboseIsOffAndNoticeIsOnUntilSet) {
  const auto switches = [] {
    return std::string(environment().verbose ? "loud" : "quiet") +
           (environment().notice ? ", notice" : ", no notice");
  };
  EXPECT_EQ(in_child({}, switches).out, "quiet, notice");
  EXPECT_EQ(in_child({{"MATPREC_VERBOSE", "1"}, {"MATPREC_NOTICE", "0"}}, switches).out,
            "loud, no notice");
}

// Not only the first call: whoever swallows the first error must not get the default afterwards.
TEST(Environment, AnInvalidValueIsAnErrorInEveryLaterCallToo) {
  EXPECT_EQ(in_child({{"MATPREC_VERBOSE", "x"}},
                     [] {
                       const std::string first = error_of([] { environment(); });
                       unsetenv("MATPREC_VERBOSE");
                       for (int i = 0; i < 3; ++i) {
                         if (error_of([] { environment(); }) != first)
                           return std::to_string(i) + " more calls";
                       }
                       return std::string("always");
                     })
                .out,
            "always");
}

TEST(Environment, AnInvalidValueIsAnErrorInEveryEntrance) {
  const std::vector<std::function<void()>> entrances = {
      [] { resolve("fp32", ElementType::kF32, ElementType::kF32); },
      [] { resolve("fp32", ElementType::kF64, ElementType::kF64); },
      [] { effective(); },
      [] { ScopedPrecision guard("fp32"); },
      [] { ScopedRequirement guard("fp32"); },
      [] { ScopedPolicy guard{PolicySnapshot()}; },
      [] { capture_policy(); },
      [] { scope_depth(); },
      [] { set_default_precision("fp32"); },
      [] { default_precision(); },
      [] { platform(); },
      [] { set_platform(Platform::kGpu); },
      [] { num_threads(); },
      [] { set_num_threads(1); },
      [] { variables(); },
  };
  for (std::size_t i = 0; i < entrances.size(); ++i) {
    EXPECT_EQ(in_child({{"MATPREC_PLATFORM", "x"}}, [&] { return error_of(entrances[i]); }).out,
              "MATPREC_PLATFORM: unknown value \"x\"; known: native, tpu, gpu, cpu; nearest: tpu")
        << "entrance " << i;
  }
}

TEST(Environment, UnknownVariablesAreFoundWithTheNearestName) {
  const auto unknown = [] {
    std::string text;
    for (const UnknownVariable& u : environment().unknown) {
      text += u.name + " ~ " + std::string(u.nearest) + ";";
    }
    return text;
  };
  EXPECT_EQ(in_child({{"MATPREC_DEFAULT_PRECISON", "nonsense"}}, unknown).out,
            "MATPREC_DEFAULT_PRECISON ~ MATPREC_DEFAULT_PRECISION;");
  EXPECT_EQ(in_child({{"matprec_verbose", "1"}, {"MATPRECISION", "1"}}, unknown).out, "");
  EXPECT_EQ(in_child({{"MATPREC_GOLDEN_DIR", "/x"}}, unknown).out, "");
}

TEST(Environment, VariablesListsAllWithTheValueInForce) {
  EXPECT_EQ(in_child({{"MATPREC_TARGET", "sse4"}, {"MATPREC_VERBOSE", ""}},
                     [] {
                       std::string text;
                       for (const VariableInfo& v : variables()) {
                         text += std::string(v.name) + (v.set ? "=" : " unset: ") + v.value + "\n";
                         if (v.meaning.empty()) text += "no meaning\n";
                       }
                       return text;
                     })
                .out,
            "MATPREC_DEFAULT_PRECISION unset: default\n"
            "MATPREC_FORCE_PRECISION unset: default\n"
            "MATPREC_PLATFORM unset: native\n"
            "MATPREC_TARGET=sse4\n"
            "MATPREC_NUM_THREADS unset: processors this process may use\n"
            "MATPREC_VERBOSE unset: 0\n"
            "MATPREC_NOTICE unset: 1\n"
            "MATPREC_REQUIRE unset: nothing\n"
            "MATPREC_GOLDEN_DIR unset: none\n");
}

TEST(Environment, ManyThreadsMayBeTheFirst) {
  EXPECT_EQ(in_child({{"MATPREC_DEFAULT_PRECISION", "tf32"}},
                     [] {
                       std::vector<const Environment*> seen(8);
                       std::vector<std::thread> threads;
                       for (auto& slot : seen) {
                         threads.emplace_back([&slot] { slot = &environment(); });
                       }
                       for (auto& thread : threads) thread.join();
                       for (const auto* e : seen) {
                         if (e != seen[0]) return std::string("different");
                       }
                       return to_string(*seen[0]->default_precision);
                     })
                .out,
            "TF32_TF32_F32");
}

TEST(Environment, ReadingPrintsNothing) {
  EXPECT_EQ(in_child({{"MATPREC_NONSENSE", "1"}, {"MATPREC_VERBOSE", "1"}},
                     [] { return to_string(effective()); })
                .err,
            "");
}

}  // namespace
}  // namespace matprec
