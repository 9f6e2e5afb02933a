#include "src/runtime/float_environment.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <thread>

#include "src/runtime/thread_pool.h"

namespace matprec {
namespace {

#if defined(__x86_64__)
std::uint64_t control() { return _mm_getcsr(); }
void set_control(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
// Flush to zero, denormals are zero, toward zero, an old inexact flag, all masked.
constexpr std::uint64_t kHostile = 0x1f80 | 0x8000 | 0x40 | 0x6000 | 0x20;
constexpr std::uint64_t kExpected = 0x1f80;
#else
std::uint64_t control() {
  std::uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" ::"r"(value)); }
// Flush to zero, toward zero, default NaN.
constexpr std::uint64_t kHostile = (1U << 24) | (3U << 22) | (1U << 25);
constexpr std::uint64_t kExpected = 0;
#endif

[[gnu::noinline]] float halve(const volatile float* x) { return *x * 0.5F; }
[[gnu::noinline]] float third(const volatile float* x) { return *x / 3; }

class FloatEnvironmentTest : public ::testing::Test {
 protected:
  FloatEnvironmentTest() : before_(control()) { set_control(kHostile); }
  ~FloatEnvironmentTest() override { set_control(before_); }
  std::uint64_t before_;
};

TEST_F(FloatEnvironmentTest, IsTheDefaultInsideWhateverTheCallersIs) {
  const ScopedFloatEnvironment ours;
  EXPECT_EQ(control(), kExpected);
}

TEST_F(FloatEnvironmentTest, TheCallersComesBackExactly) {
  {
    const ScopedFloatEnvironment ours;
    const volatile float x = 2;
    EXPECT_GT(third(&x), 0.66F);
  }
  EXPECT_EQ(control(), kHostile);
}

TEST_F(FloatEnvironmentTest, ExceptionFlagsRaisedInsideDoNotLeak) {
  set_control(before_);
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const ScopedFloatEnvironment ours;
    const volatile float x = 2;
    EXPECT_NE(third(&x), 0);
  }
#if defined(__x86_64__)
  EXPECT_EQ(std::fetestexcept(FE_INEXACT), 0);
#endif
}

TEST_F(FloatEnvironmentTest, SubnormalsAreKeptInside) {
  const volatile float smallest_normal = std::numeric_limits<float>::min();
  EXPECT_EQ(halve(&smallest_normal), 0);  // the caller flushes
  const ScopedFloatEnvironment ours;
  EXPECT_GT(halve(&smallest_normal), 0);
}

TEST_F(FloatEnvironmentTest, RoundsToNearestInside) {
  const volatile float two = 2;
  const float toward_zero = third(&two);
  const ScopedFloatEnvironment ours;
  EXPECT_GT(third(&two), toward_zero);  // 2/3 in binary goes up
}

TEST_F(FloatEnvironmentTest, NestsWithoutLosingTheCallers) {
  {
    const ScopedFloatEnvironment outer;
    const ScopedFloatEnvironment inner;
  }
  EXPECT_EQ(control(), kHostile);
}

// Threads made by a caller in a hostile environment would inherit it.
TEST_F(FloatEnvironmentTest, PoolThreadsRunInTheDefault) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> arrived = 0;
  std::atomic<std::uint64_t> seen = ~std::uint64_t{0};
  parallel_for(2, 2, [&](int) {  // one each: both wait for the other
    if (std::this_thread::get_id() != caller) seen = control();
    ++arrived;
    while (arrived.load() != 2) std::this_thread::yield();
  });
  EXPECT_EQ(seen.load(), kExpected);
  EXPECT_EQ(control(), kHostile);
}

}  // namespace
}  // namespace matprec
