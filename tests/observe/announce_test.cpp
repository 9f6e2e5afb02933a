// The two things that the library says unasked, each once a process.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "src/observe/trace.h"
#include "tests/support/child_process.h"

namespace matprec {
namespace {

using testing::in_child;
using testing::Variables;

void product(const PrecisionRequest& argument = {}, ElementType type = ElementType::kF32) {
  announce(resolve(argument, type, type), type, type);
}

std::string said(const Variables& variables, const std::function<void()>& body) {
  return in_child(variables,
                  [&] {
                    body();
                    return std::string();
                  })
      .err;
}

constexpr char kNotice[] =
    "matprec: notice: float32 x float32 products run TF32_TF32_F32, chosen by "
    "set_default_precision() at dependency.cpp:7; for full float32 call "
    "set_default_precision(\"fp32\"), open ScopedPrecision(\"fp32\") or set "
    "MATPREC_FORCE_PRECISION=fp32; MATPREC_NOTICE=0 silences this\n";

void set_tf32() { set_default_precision("tf32", {"dependency.cpp", 7}); }

TEST(Announce, AReducedProcessDefaultIsNoticedOnce) {
  EXPECT_EQ(said({},
                 [] {
                   set_tf32();
                   product();
                   product();
                   set_default_precision("bf16");
                   product();
                 }),
            kNotice);
}

TEST(Announce, TheNoticeWaitsForTheFirstReducedProduct) {
  EXPECT_EQ(said({},
                 [] {
                   product();
                   set_tf32();
                   product("bf16");
                   product({}, ElementType::kF64);
                   {
                     const ScopedPrecision guard("bf16");
                     product();
                   }
                   product();
                 }),
            kNotice);
}

TEST(Announce, SettingTheDefaultAloneSaysNothing) { EXPECT_EQ(said({}, set_tf32), ""); }

TEST(Announce, NoticeZeroSilencesIt) {
  EXPECT_EQ(said({{"MATPREC_NOTICE", "0"}},
                 [] {
                   set_tf32();
                   product();
                 }),
            "");
}

TEST(Announce, WhoeverChoseByArgumentScopeOrVariableHearsNothing) {
  EXPECT_EQ(said({}, [] { product("bf16"); }), "");
  EXPECT_EQ(said({},
                 [] {
                   const ScopedPrecision guard("bf16");
                   product();
                 }),
            "");
  EXPECT_EQ(said({{"MATPREC_DEFAULT_PRECISION", "bf16"}}, [] { product(); }), "");
  EXPECT_EQ(said({{"MATPREC_FORCE_PRECISION", "bf16"}},
                 [] {
                   set_tf32();
                   product();
                 }),
            "");
}

TEST(Announce, AFullPrecisionDefaultIsNoNews) {
  for (const char* full : {"fp32", "bf16x9", "fp64", "highest"}) {
    EXPECT_EQ(said({},
                   [&] {
                     set_default_precision(full);
                     product();
                   }),
              "")
        << full;
  }
  for (const char* reduced : {"bf16x6", "tf32x3", "fp16", "bf16_acc", "high"}) {
    EXPECT_NE(said({},
                   [&] {
                     set_default_precision(reduced);
                     product();
                   }),
              "")
        << reduced;
  }
}

TEST(Announce, ManyThreadsGetOneNotice) {
  EXPECT_EQ(said({},
                 [] {
                   set_tf32();
                   std::vector<std::thread> threads;
                   for (int i = 0; i < 8; ++i) threads.emplace_back([] { product(); });
                   for (auto& thread : threads) thread.join();
                 }),
            kNotice);
}

TEST(Announce, AnUnknownVariableGetsOneLineAtTheFirstProduct) {
  const Variables variables = {{"MATPREC_DEFUALT_PRECISION", "tf32"}};
  EXPECT_EQ(said(variables, [] { effective(); }), "");
  EXPECT_EQ(said(variables,
                 [] {
                   product();
                   product();
                 }),
            "matprec: warning: MATPREC_DEFUALT_PRECISION is no variable of this library and has no "
            "effect; nearest: MATPREC_DEFAULT_PRECISION\n");
}

TEST(Announce, EveryUnknownVariableGetsALine) {
  const std::string text =
      said({{"MATPREC_TREADS", "1"}, {"MATPREC_QUIET", "1"}}, [] { product(); });
  EXPECT_NE(text.find("matprec: warning: MATPREC_TREADS is no"), std::string::npos) << text;
  EXPECT_NE(text.find("matprec: warning: MATPREC_QUIET is no"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(Announce, KnownVariablesGetNoLine) {
  EXPECT_EQ(said({{"MATPREC_PLATFORM", "cpu"}, {"MATPREC_GOLDEN_DIR", "/x"}}, [] { product(); }),
            "");
}

}  // namespace
}  // namespace matprec
