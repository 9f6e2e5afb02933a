// A scope says what this thread's products run until the brace; the innermost one counts.
#include <matprec/matprec.h>

#include <iostream>
#include <thread>

namespace mp = matprec;

// 1 times 1 + 2^-9 + 2^-17 + 2^-23: each algorithm keeps another part of it.
float product() {
  const float x[] = {1.0f};
  const float y[] = {0x1.008082p0f};
  return mp::matmul(mp::TensorView(x, {1, 1}), mp::TensorView(y, {1, 1})).data<float>()[0];
}

void show(const char* where) {
  const mp::Resolution now = mp::effective();
  std::cout << where << ": " << mp::to_string(now.algorithm) << ", source "
            << mp::to_string(now.source) << ", result " << std::hexfloat << product() << '\n';
}

int main() {
  show("outside");
  {
    const mp::ScopedPrecision outer("tf32");
    show("in the scope");
    {
      const mp::ScopedPrecision inner(mp::DotAlgorithm::kBF16_BF16_F32_X3);
      show("in an inner scope");
    }
    show("after it");

    std::thread([] { show("on a new thread"); }).join();  // a scope is one thread's
    const mp::PolicySnapshot snapshot = mp::capture_policy();
    std::thread([&] {
      const mp::ScopedPolicy carried(snapshot);
      show("on a thread that was handed it");
    }).join();
  }
  show("outside again");
}
