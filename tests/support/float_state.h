// The thread's floating-point control state in tests: reading it, and making it as bad as a caller
// can.
#ifndef MATPREC_TESTS_SUPPORT_FLOAT_STATE_H_
#define MATPREC_TESTS_SUPPORT_FLOAT_STATE_H_

#include <cfenv>
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace matprec::testing {

// MXCSR or FPCR: rounding direction, flush-to-zero, denormals-are-zero. The sticky exception flags,
// which any arithmetic raises, are left out.
struct FloatState {
  std::uint64_t control = 0;

  static FloatState now() {
#if defined(__x86_64__)
    return {_mm_getcsr() & 0xFFC0u};
#elif defined(__aarch64__)
    std::uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return {control};
#else
    return {static_cast<std::uint64_t>(std::fegetround())};
#endif
  }
  void set() const {
#if defined(__x86_64__)
    _mm_setcsr(static_cast<unsigned>(control));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(control));
#endif
  }
  friend bool operator==(const FloatState&, const FloatState&) = default;
};

// While it lives: rounding toward zero, subnormals flushed on both sides.
class HostileFloatState {
 public:
  HostileFloatState() : before_(FloatState::now()) {
#if defined(__x86_64__)
    FloatState{before_.control | 0xE040u}.set();  // RZ, FTZ, DAZ
#elif defined(__aarch64__)
    FloatState{before_.control | 0x01C00000u}.set();  // RZ, FZ
#endif
  }
  ~HostileFloatState() { before_.set(); }
  HostileFloatState(const HostileFloatState&) = delete;
  HostileFloatState& operator=(const HostileFloatState&) = delete;

 private:
  FloatState before_;
};

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_FLOAT_STATE_H_
