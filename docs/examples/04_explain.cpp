// Which algorithm a product runs, who chose it, and what runs as it happens.
#include <matprec/matprec.h>

#include <iostream>

namespace mp = matprec;

void explain(const char* when, const mp::TensorView& a, const mp::TensorView& b) {
  const mp::Explanation e = mp::explain(a, b);  // std::cout << e prints all of it
  std::cout << when << ": " << mp::to_string(e.resolution.algorithm) << ", source "
            << mp::to_string(e.resolution.source) << ", " << e.fmas
            << " FMA per element and step, |error| <= " << e.error_factor << " * (|A||B|)\n";
}

int main() {
  const mp::Tensor a(mp::ElementType::kF32, {64, 256});
  const mp::Tensor b(mp::ElementType::kF32, {256, 32});

  explain("as built in", a, b);
  mp::set_default_precision("high");
  explain("by the process default", a, b);
  mp::set_platform(mp::Platform::kGpu);
  explain("the same level on another platform", a, b);
  mp::set_default_precision(mp::Precision::kDefault);

  mp::set_trace_callback([](const mp::TraceEvent& event) {
    std::cout << "trace: " << event.op << ' ' << mp::to_string(event.lhs_shape) << " by "
              << mp::to_string(event.rhs_shape) << ", " << mp::to_string(event.resolution.algorithm)
              << ", label " << event.label << '\n';
  });
  mp::matmul(a, b, {.precision = "tf32x3", .label = "logits"});
  mp::set_trace_callback(nullptr);
}
