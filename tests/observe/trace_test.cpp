#include "src/observe/trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::in_child;

TraceEvent an_event() {
  return {.op = "matmul",
          .label = {},
          .lhs_type = ElementType::kF32,
          .rhs_type = ElementType::kBF16,
          .out_type = ElementType::kF32,
          .lhs_shape = {64, 32},
          .rhs_shape = {32, 8},
          .out_shape = {64, 8},
          .resolution = resolve("tf32", ElementType::kF32, ElementType::kBF16),
          .target = "AVX2",
          .threads = 4,
          .microseconds = 12.34,
          .caller = {}};
}

constexpr char kLine[] =
    "matmul (64, 32) x (32, 8) -> (64, 8), float32 x bfloat16 -> float32, TF32_TF32_F32, chosen by "
    "the call's argument, on AVX2, 4 threads, 12.3 us";

TEST(Trace, IsOffUntilAskedFor) {
  const auto result = in_child({}, [] {
    const std::string state = tracing() ? "on" : "off";
    report(an_event());
    return state;
  });
  EXPECT_EQ(result.out, "off");
  EXPECT_EQ(result.err, "");
}

TEST(Trace, TheVariablePrintsOneLineAProduct) {
  const auto result = in_child({{"MATPREC_VERBOSE", "1"}}, [] {
    const std::string state = tracing() ? "on" : "off";
    report(an_event());
    report(an_event());
    return state;
  });
  EXPECT_EQ(result.out, "on");
  EXPECT_EQ(result.err, std::string("matprec: ") + kLine + "\nmatprec: " + kLine + "\n");
}

TEST(Trace, TheLineShowsCallerAndLabelWhereKnown) {
  const std::string line = in_child({}, [] {
                             TraceEvent event = an_event();
                             event.caller = {"main.cpp", 9};
                             event.label = "layer 1\n";
                             event.threads = 1;
                             return to_string(event);
                           }).out;
  EXPECT_NE(line.find(", 1 thread, 12.3 us, called at main.cpp:9, label \"layer 1\\x0a\""),
            std::string::npos)
      << line;
}

TEST(Trace, TheCallbackGetsTheEvent) {
  EXPECT_EQ(in_child({},
                     [] {
                       std::string seen;
                       set_trace_callback([&](const TraceEvent& e) { seen += to_string(e) + ";"; });
                       seen += tracing() ? "on;" : "off;";
                       report(an_event());
                       set_trace_callback(nullptr);
                       seen += tracing() ? "on" : "off";
                       report(an_event());
                       return seen;
                     })
                .out,
            std::string("on;") + kLine + ";off");
}

TEST(Trace, CallbackAndVariableWorkTogether) {
  const auto result = in_child({{"MATPREC_VERBOSE", "1"}}, [] {
    int calls = 0;
    set_trace_callback([&](const TraceEvent&) { ++calls; });
    report(an_event());
    return std::to_string(calls);
  });
  EXPECT_EQ(result.out, "1");
  EXPECT_EQ(result.err, std::string("matprec: ") + kLine + "\n");
}

TEST(Trace, ProductsOfTheCallbackAreNotTraced) {
  const auto result = in_child({{"MATPREC_VERBOSE", "1"}}, [] {
    int calls = 0;
    bool inside = true;
    set_trace_callback([&](const TraceEvent&) {
      ++calls;
      inside = tracing();
      report(an_event());
    });
    report(an_event());
    return std::to_string(calls) + (inside ? " on" : " off") + (tracing() ? " on" : " off");
  });
  EXPECT_EQ(result.out, "1 off on");
  EXPECT_EQ(result.err, std::string("matprec: ") + kLine + "\n");
}

TEST(Trace, AnExceptionFromTheCallbackIsDropped) {
  EXPECT_EQ(in_child({},
                     [] {
                       int calls = 0;
                       set_trace_callback([&](const TraceEvent&) {
                         ++calls;
                         throw std::runtime_error("callback");
                       });
                       report(an_event());
                       report(an_event());  // the first left nothing behind that would stop this
                       return std::to_string(calls) + (tracing() ? " on" : " off");
                     })
                .out,
            "2 on");
}

TEST(Trace, TheCallbackMayReplaceItself) {
  EXPECT_EQ(in_child({},
                     [] {
                       std::string seen;
                       auto token = std::make_shared<int>(0);
                       std::weak_ptr<int> watch = token;
                       set_trace_callback([&seen, &watch, token](const TraceEvent&) {
                         seen += "first ";
                         set_trace_callback([&seen](const TraceEvent&) { seen += "second "; });
                         seen += watch.expired() ? "gone " : "alive ";
                       });
                       token.reset();
                       report(an_event());
                       seen += watch.expired() ? "gone " : "alive ";
                       report(an_event());
                       return seen;
                     })
                .out,
            "first alive gone second ");
}

TEST(Trace, ThreadsMayTraceWhileTheCallbackChanges) {
  EXPECT_EQ(in_child({},
                     [] {
                       std::atomic<int> calls = 0;
                       std::vector<std::thread> threads;
                       for (int t = 0; t < 3; ++t) {
                         threads.emplace_back([] {
                           for (int i = 0; i < 500; ++i) report(an_event());
                         });
                       }
                       for (int i = 0; i < 500; ++i) {
                         set_trace_callback([&calls, token = std::make_shared<int>(i)](
                                                const TraceEvent&) { calls += *token >= 0; });
                       }
                       for (auto& thread : threads) thread.join();
                       report(an_event());
                       return std::string(calls.load() > 0 ? "called" : "never");
                     })
                .out,
            "called");
}

TEST(Trace, AChildOfForkMayChangeTheCallback) {
  EXPECT_EQ(in_child({},
                     [] {
                       std::atomic<bool> stop = false;
                       std::thread other([&] {
                         while (!stop) set_trace_callback([](const TraceEvent&) {});
                       });
                       int bad = 0;
                       for (int i = 0; i < 50; ++i) {
                         const pid_t child = fork();
                         if (child == 0) {
                           alarm(10);
                           set_trace_callback(nullptr);
                           _exit(tracing() ? 1 : 0);
                         }
                         int status = 0;
                         waitpid(child, &status, 0);
                         bad += status != 0 ? 1 : 0;
                       }
                       stop = true;
                       other.join();
                       return std::to_string(bad);
                     })
                .out,
            "0");
}

TEST(Trace, AnInvalidEnvironmentIsAnErrorHereToo) {
  const testing::Variables invalid = {{"MATPREC_VERBOSE", "2"}};
  const std::string expected = "MATPREC_VERBOSE: unknown value \"2\"; known: 0, 1; nearest: 0";
  EXPECT_EQ(in_child(invalid, [] { return error_of([] { tracing(); }); }).out, expected);
  EXPECT_EQ(in_child(invalid, [] { return error_of([] { set_trace_callback(nullptr); }); }).out,
            expected);
}

}  // namespace
}  // namespace matprec
