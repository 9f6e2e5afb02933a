#include "src/runtime/workspace.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/error.h"
#include "matprec/matprec.h"
#include "matprec/runtime.h"
#include "src/runtime/thread_pool.h"

namespace matprec {
namespace {

constexpr std::size_t kSize = 3 << 20;
constexpr std::int64_t kKept = 3 << 20;

void wait_for(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

class WorkspaceTest : public ::testing::Test {
 protected:
  void SetUp() override { release_memory(); }
};

TEST_F(WorkspaceTest, IsKeptForTheNextProductAndCounted) {
  const std::int64_t before = memory_kept();
  void* first = nullptr;
  for (int product = 0; product < 2; ++product) {
    const WorkspaceUse use;
    void* const data = Workspace::of_this_thread().get(Workspace::kPackedA, kSize);
    if (first == nullptr) first = data;
    EXPECT_EQ(data, first);
  }
  EXPECT_EQ(memory_kept() - before, kKept);
}

TEST_F(WorkspaceTest, ReleaseTakesWhatNoProductUses) {
  {
    const WorkspaceUse use;
    Workspace::of_this_thread().get(Workspace::kPackedA, kSize);
  }
  EXPECT_GE(memory_kept(), kKept);
  release_memory();
  EXPECT_EQ(memory_kept(), 0);
}

TEST_F(WorkspaceTest, AThreadInAProductKeepsItsOwnUntilTheOutermostEnds) {
  const WorkspaceUse product;
  void* const data = Workspace::of_this_thread().get(Workspace::kPackedA, kSize);
  { const WorkspaceUse inner; }
  std::thread(release_memory).join();
  std::memset(data, 1, kSize);
  EXPECT_EQ(memory_kept(), kKept);
  EXPECT_EQ(Workspace::of_this_thread().get(Workspace::kPackedA, kSize), data);
}

TEST_F(WorkspaceTest, ReleaseTakesThatOfOtherIdleThreads) {
  std::atomic<bool> took = false, end = false;
  std::thread other([&] {
    {
      const WorkspaceUse use;
      Workspace::of_this_thread().get(Workspace::kPending, kSize);
    }
    took = true;
    wait_for(end);
  });
  wait_for(took);
  EXPECT_EQ(memory_kept(), kKept);
  release_memory();
  EXPECT_EQ(memory_kept(), 0);
  end = true;
  other.join();
}

TEST_F(WorkspaceTest, ReleaseTakesThatOfThePool) {
  std::atomic<int> arrived = 0;
  parallel_for(3, 3, [&](int) {
    Workspace::of_this_thread().get(Workspace::kPackedA, kSize);
    ++arrived;
    while (arrived.load() < 3) std::this_thread::yield();
  });
  EXPECT_EQ(memory_kept(), 3 * kKept);
  release_memory();
  EXPECT_EQ(memory_kept(), 0);
}

TEST_F(WorkspaceTest, AThreadThatEndsGivesItsOwnBack) {
  std::thread([] { Workspace::of_this_thread().get(Workspace::kPackedA, kSize); }).join();
  EXPECT_EQ(memory_kept(), 0);
}

TEST_F(WorkspaceTest, ReleaseAtAnyTimeDisturbsNobody) {
  std::atomic<bool> end = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 500; ++round) {
        const WorkspaceUse use;
        char* const data =
            static_cast<char*>(Workspace::of_this_thread().get(Workspace::kPackedA, 4096));
        std::memset(data, t, 4096);
        std::this_thread::yield();
        if (data[4095] != t) ++wrong;
      }
    });
  }
  std::thread releaser([&] {
    while (!end.load()) release_memory();
  });
  for (std::thread& thread : threads) thread.join();
  end = true;
  releaser.join();
  EXPECT_EQ(wrong.load(), 0);
  release_memory();
  EXPECT_EQ(memory_kept(), 0);
}

TEST_F(WorkspaceTest, AProductLeavesNothingInUse) {
  const std::vector<float> ones(300 * 300, 1.0f);
  const TensorView a(ones.data(), {300, 300});
  for (const char* precision : {"fp32", "bf16x3"}) matmul(a, a, {.precision = precision});
  EXPECT_GT(memory_kept(), 0);
  release_memory();
  EXPECT_EQ(memory_kept(), 0);
}

TEST(MemoryLimit, GrowsWithThreads) {
  EXPECT_EQ(memory_limit(1), 12 << 20);
  EXPECT_EQ(memory_limit(4), 24 << 20);
  try {
    memory_limit(0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "memory_limit: 0 threads; expected 1 or more");
  }
}

// ThreadSanitizer ends children of programs that have threads; AddressSanitizer before LLVM 18 does
// not hold its allocator's locks across fork().
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MATPREC_TEST_NO_FORK_BESIDE_THREADS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define MATPREC_TEST_NO_FORK_BESIDE_THREADS
#endif
#endif

#ifndef MATPREC_TEST_NO_FORK_BESIDE_THREADS
TEST_F(WorkspaceTest, AChildOfForkTakesAndReleasesWhileTheParentReleases) {
  std::atomic<bool> end = false;
  std::thread releaser([&] {
    while (!end.load()) release_memory();
  });
  for (int i = 0; i < 50; ++i) {
    {
      const WorkspaceUse use;
      Workspace::of_this_thread().get(Workspace::kPackedA, 4096);
    }
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      {
        const WorkspaceUse use;
        Workspace::of_this_thread().get(Workspace::kPackedA, kSize);
      }
      const bool took = memory_kept() >= kKept;
      release_memory();
      _exit(took && memory_kept() < kKept ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  end = true;
  releaser.join();
}
#endif

}  // namespace
}  // namespace matprec
