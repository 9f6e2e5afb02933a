// What a call costs beside its arithmetic: the smallest product by each entry.
#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {
namespace {

constexpr Sizes kSizes{.m = 4, .n = 4, .k = 4};

void call(benchmark::State& state, Repeated (*entry)(Operands&)) {
  Operands operands(kSizes);
  measure(state, operands, DotAlgorithm::kF32_F32_F32, entry(operands), {"sgemm", sgemm(operands)});
}

}  // namespace

void add_calls() {
  add("call/sgemm/4", [](benchmark::State& state) {
    Operands operands(kSizes);
    measure(state, operands, DotAlgorithm::kF32_F32_F32, sgemm(operands));
  });
  add("call/dot_general_into/4", [](benchmark::State& state) {
    call(state, [](Operands& o) { return dot_general_into(o, DotAlgorithm::kF32_F32_F32); });
  });
  // Views are made for each call here, as a program does that has pointers.
  add("call/dot_general_into_of_new_views/4", [](benchmark::State& state) {
    call(state, [](Operands& o) {
      return repeated([a = o.a<float>(), b = o.b<float>(), c = o.c<float>()] {
        matprec::dot_general_into(MutableTensorView(c, {4, 4}), TensorView(a, {4, 4}), TensorView(b, {4, 4}),
                                  {{1}, {0}, {}, {}});
      });
    });
  });
  // Its result is a new tensor; copying that out counts too.
  add("call/matmul/4", [](benchmark::State& state) {
    call(state, [](Operands& o) {
      return repeated([a = o.a_view(), b = o.b_view(), c = o.c<float>()] {
        const Tensor result = matmul(a, b);
        for (int i = 0; i < 16; ++i) c[i] = result.data<float>()[i];
      });
    });
  });
}

}  // namespace matprec::bench
