// Kind K5: a library that changes how the whole process treats subnormals.
// torch-mojo-backend#435, llvm-project#80475 (IL-31)
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "matprec/runtime.h"
#include "src/runtime/thread_pool.h"
#include "tests/support/clean_environment.h"
#include "tests/support/float_state.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

#ifdef MATPREC_SHARED_LIBRARY
TEST(FloatState, LoadingAndCallingTheLibraryLeavesItAlone) {
  const FloatState before = FloatState::now();
  void* library = dlopen(MATPREC_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(FloatState::now(), before) << "after dlopen";
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "matprec_cblas_sgemm"));
  ASSERT_NE(sgemm, nullptr) << dlerror();
  const float a = 0x1p-126f, b = 0.5f;
  float c = 0;
  sgemm(101, 111, 111, 1, 1, 1, 1.0f, &a, 1, &b, 1, 0.0f, &c, 1);
  EXPECT_EQ(bits(c), 0x00400000u);
  EXPECT_EQ(FloatState::now(), before) << "after a call";
}
#endif

TEST(FloatState, IsCleanOnWorkerThreads) {
  const FloatState clean = FloatState::now();
  const HostileFloatState hostile;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> on_workers{0}, clean_ones{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  parallel_for(3, 3, [&](int) {
    if (std::this_thread::get_id() != caller) {
      ++on_workers;
      if (FloatState::now() == clean) ++clean_ones;
      return;
    }
    while (on_workers == 0 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  EXPECT_GE(on_workers, 1);
  EXPECT_EQ(clean_ones, on_workers);
}

TEST(FloatState, ACallersOwnStateComesBackAndChangesNoBit) {
  const Matrix a = wide_matrix(40, 300, 70, 1), b = wide_matrix(300, 50, 70, 2);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix expected = oracle_product(row.algorithm, a, b);
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      const HostileFloatState hostile;
      const FloatState before = FloatState::now();
      const Matrix got = product(a, b, row.algorithm);
      EXPECT_EQ(FloatState::now(), before) << row.name;
      EXPECT_TRUE(same_bits<float>(got.values, expected.values)) << row.name;
    }
  }
  set_num_threads(0);
}

#if defined(__x86_64__)
// A caller that traps inexact results (feenableexcept), on a product whose every step is inexact, with
// factors that are inexact in float32.
TEST(FloatState, ACallersTrapsDoNotFireAndItsFlagsStayClear) {
  const Matrix a = normal_matrix(40, 300, 1), b = normal_matrix(300, 50, 2);
  Matrix c(40, 50);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0);  // every trap on, no flag raised
    dot_general_into(c.view(), a.view(), b.view(), matrix_product(), {.precision = row.algorithm},
                     {.alpha = 0.1, .beta = 1e-310});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after, 0u) << row.name;
  }
}
#endif

}  // namespace
}  // namespace matprec::testing
