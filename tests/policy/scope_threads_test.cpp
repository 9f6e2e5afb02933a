// Scopes and defaults with several threads and processes. Also the program for ThreadSanitizer.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"

namespace matprec {
namespace {

using enum DotAlgorithm;

TEST(ScopeThreads, ANewThreadSeesTheProcessDefaultNotItsParentsScope) {
  const ScopedPrecision guard("bf16");
  std::thread([] {
    EXPECT_EQ(effective().source, Source::kBuiltIn);
    EXPECT_EQ(scope_depth(), 0);
  }).join();
}

TEST(ScopeThreads, ASnapshotCarriesTheScopeIntoATask) {
  const ScopedPrecision guard("bf16");
  const PolicySnapshot snapshot = capture_policy();
  std::thread([&] {
    {
      const ScopedPolicy here(snapshot);
      EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
      EXPECT_EQ(effective().source, Source::kScope);
    }
    EXPECT_EQ(effective().source, Source::kBuiltIn);
  }).join();
}

TEST(ScopeThreads, AGuardDestroyedElsewhereLeavesItsOwnThreadClean) {
  auto inner = std::make_unique<ScopedPrecision>("bf16");
  const ScopedPrecision outer("tf32");
  std::thread([&] {
    const ScopedPrecision own("fp16");
    inner.reset();
    EXPECT_EQ(effective().algorithm,
              kF16_F16_F32);  // the other thread's entry went, not this one's
    EXPECT_EQ(scope_depth(), 1);
  }).join();
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(scope_depth(), 1);
}

TEST(ScopeThreads, AnInnermostGuardDestroyedElsewhereIsNotStale) {
  auto guard = std::make_unique<ScopedPrecision>("bf16");
  std::thread([&] { guard.reset(); }).join();
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  EXPECT_EQ(scope_depth(), 0);
}

TEST(ScopeThreads, AGuardMayOutliveItsThread) {
  std::unique_ptr<ScopedPrecision> guard;
  std::unique_ptr<ScopedRequirement> requirement;
  std::thread([&] {
    guard = std::make_unique<ScopedPrecision>("bf16");
    requirement = std::make_unique<ScopedRequirement>("bf16");
  }).join();
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  guard.reset();
  requirement.reset();
  EXPECT_EQ(scope_depth(), 0);
}

// What the destructor of a thread_local object saw; written before the thread ends, read after.
struct Seen {
  int depth = -1;
  DotAlgorithm algorithm = kF32_F32_F32;
};
Seen seen_holding;
Seen seen_opening;

struct HoldsAGuard {
  std::optional<ScopedPrecision> guard;
  ~HoldsAGuard() {
    seen_holding = {scope_depth(), effective().algorithm};
    guard.reset();
    const ScopedPrecision late("tf32");
    seen_opening = {scope_depth(), effective().algorithm};
  }
};
thread_local HoldsAGuard held_by_this_thread;

TEST(ScopeThreads, ScopesStillCountInThreadLocalDestructors) {
  std::thread([] { held_by_this_thread.guard.emplace("bf16"); }).join();
  EXPECT_EQ(seen_holding.depth, 1);
  EXPECT_EQ(seen_holding.algorithm, kBF16_BF16_F32);
  EXPECT_EQ(seen_opening.depth, 1);
  EXPECT_EQ(seen_opening.algorithm, kTF32_TF32_F32);
}

TEST(ScopeThreads, TwoThreadsWithDifferentNeedsDoNotDisturbEachOther) {
  const auto work = [](DotAlgorithm mine) {
    for (int i = 0; i < 2000; ++i) {
      const ScopedPrecision guard(mine);
      ASSERT_EQ(effective().algorithm, mine);
      ASSERT_EQ(scope_depth(), 1);
    }
  };
  std::thread one(work, kBF16_BF16_F32);
  std::thread two(work, kTF32_TF32_F32);
  one.join();
  two.join();
}

// Request and place of the process default belong together, whoever sets it meanwhile.
TEST(ScopeThreads, TheProcessDefaultIsReadWhole) {
  std::atomic<bool> stop = false;
  const auto set = [&](DotAlgorithm algorithm, int line) {
    while (!stop.load()) {
      set_default_precision(algorithm, {"setter.cpp", line});
      set_default_precision(Precision::kDefault);
    }
  };
  std::thread one(set, kBF16_BF16_F32, 1);
  std::thread two(set, kTF32_TF32_F32, 2);
  int seen = 0;
  while (seen < 2000) {
    const Resolution r = effective();
    if (r.source != Source::kProcess) {
      std::this_thread::yield();
      continue;
    }
    ++seen;
    ASSERT_EQ(r.location.line, r.algorithm == kBF16_BF16_F32 ? 1 : 2);
    ASSERT_EQ(r.request.algorithm(), r.algorithm);
  }
  stop.store(true);
  one.join();
  two.join();
  set_default_precision(Precision::kDefault);
}

TEST(ScopeThreads, AGuardMayGoElsewhereWhileItsThreadLooks) {
  for (int round = 0; round < 200; ++round) {
    auto guard = std::make_unique<ScopedPrecision>("bf16");
    std::atomic<bool> gone = false;
    std::thread other([&] {
      guard.reset();
      gone.store(true, std::memory_order_release);
    });
    while (!gone.load(std::memory_order_acquire)) {
      const Source source = effective().source;
      ASSERT_TRUE(source == Source::kScope || source == Source::kBuiltIn);
    }
    EXPECT_EQ(effective().source, Source::kBuiltIn);
    other.join();
  }
}

TEST(ScopeThreads, AForkedChildKeepsTheForkingThreadsScopes) {
  std::optional<ScopedPrecision> outer(std::in_place, "tf32");
  const ScopedPrecision inner("bf16");
  const pid_t child = fork();
  if (child == 0) {
    const bool inner_seen = effective().algorithm == kBF16_BF16_F32 && scope_depth() == 2;
    outer.reset();
    const ScopedPrecision own("fp16");
    const bool own_seen = effective().algorithm == kF16_F16_F32 && scope_depth() == 2;
    _exit(inner_seen && own_seen ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(scope_depth(), 2);
}

}  // namespace
}  // namespace matprec
