// The floating-point environment that all arithmetic of this library runs in, whatever the caller's
// is.
#ifndef MATPREC_SRC_RUNTIME_FLOAT_ENVIRONMENT_H_
#define MATPREC_SRC_RUNTIME_FLOAT_ENVIRONMENT_H_

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>

namespace matprec {

// While it lives, this thread rounds to nearest, ties to even, keeps subnormals and traps nothing;
// then the control and status register (x86-64: MXCSR, aarch64: FPCR) is exactly what it was. The
// x87 unit is not used by the library and is left alone.
//
// The compiler barriers keep memory accesses on their side. Arithmetic between a load and a store
// of memory that the compiler cannot see through (operands, results) therefore stays inside;
// arithmetic on local variables alone could move, so put it into a function that is not inlined.
class ScopedFloatEnvironment {
 public:
  ScopedFloatEnvironment() : saved_(read()) {
    if (saved_ != kDefault) write(kDefault);
    barrier();
  }
  ~ScopedFloatEnvironment() {
    barrier();
    write(saved_);  // always: x86-64 keeps sticky exception flags in the same register
    barrier();
  }
  ScopedFloatEnvironment(const ScopedFloatEnvironment&) = delete;
  ScopedFloatEnvironment& operator=(const ScopedFloatEnvironment&) = delete;

 private:
  static void barrier() { asm volatile("" ::: "memory"); }

#if defined(__x86_64__)
  using Register = std::uint32_t;
  static constexpr Register kDefault = 0x1f80;  // all exceptions masked, nearest, no FTZ, no DAZ
  static Register read() {
    barrier();
    return _mm_getcsr();
  }
  static void write(Register value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Register = std::uint64_t;
  static constexpr Register kDefault = 0;
  static Register read() {
    Register value;
    asm volatile("mrs %0, fpcr" : "=r"(value)::"memory");
    return value;
  }
  static void write(Register value) { asm volatile("msr fpcr, %0" ::"r"(value) : "memory"); }
#else
#error "matprec runs on x86-64 and aarch64"
#endif

  Register saved_;
};

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_FLOAT_ENVIRONMENT_H_
