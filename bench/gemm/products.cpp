#include "bench/gemm/products.h"

#include <vector>

#include "matprec/c_api.h"

namespace matprec::bench {
namespace {

constexpr int kRowMajor = 101;

}  // namespace

Repeated sgemm(Operands& o) {
  return repeated([&o, s = o.sizes(), a = o.a<float>(), b = o.b<float>(), c = o.c<float>()] {
    matprec_cblas_sgemm(kRowMajor, o.trans_a(), o.trans_b(), s.m, s.n, s.k, 1, a, o.lda(), b, o.ldb(), 0, c,
                        o.ldc());
  });
}

Repeated dgemm(Operands& o) {
  return repeated([&o, s = o.sizes(), a = o.a<double>(), b = o.b<double>(), c = o.c<double>()] {
    matprec_cblas_dgemm(kRowMajor, o.trans_a(), o.trans_b(), s.m, s.n, s.k, 1, a, o.lda(), b, o.ldb(), 0, c,
                        o.ldc());
  });
}

Repeated gemm_bf16(Operands& o) {
  return repeated(
      [&o, s = o.sizes(), a = &o.a<BFloat16>()->bits, b = &o.b<BFloat16>()->bits, c = o.c<float>()] {
        matprec_cblas_gemm_bf16bf16f32(kRowMajor, o.trans_a(), o.trans_b(), s.m, s.n, s.k, 1, a, o.lda(), b,
                                       o.ldb(), 0, c, o.ldc());
      });
}

Repeated sgemm_batch_strided(Operands& o) {
  return repeated([&o, s = o.sizes(), a = o.a<float>(), b = o.b<float>(), c = o.c<float>()] {
    matprec_cblas_sgemm_batch_strided(kRowMajor, o.trans_a(), o.trans_b(), s.m, s.n, s.k, 1, a, o.lda(),
                                      s.m * s.k, b, o.ldb(), s.k * s.n, 0, c, o.ldc(), s.m * s.n, s.batch);
  });
}

Repeated sgemm_batch(Operands& o) {
  const Sizes s = o.sizes();
  std::vector<const float*> a, b;
  std::vector<float*> c;
  for (int i = 0; i < s.batch; ++i) {
    a.push_back(o.a<float>() + std::ptrdiff_t{i} * s.m * s.k);
    b.push_back(o.b<float>() + std::ptrdiff_t{i} * s.k * s.n);
    c.push_back(o.c<float>() + std::ptrdiff_t{i} * s.m * s.n);
  }
  return repeated([&o, s, a, b, c] {
    const int trans_a = o.trans_a(), trans_b = o.trans_b(), lda = o.lda(), ldb = o.ldb(), ldc = o.ldc();
    const float alpha = 1, beta = 0;
    matprec_cblas_sgemm_batch(kRowMajor, &trans_a, &trans_b, &s.m, &s.n, &s.k, &alpha, a.data(), &lda,
                              b.data(), &ldb, &beta, c.data(), &ldc, 1, &s.batch);
  });
}

Repeated dot_general_into(Operands& o, DotAlgorithm algorithm) {
  return repeated([a = o.a_view(), b = o.b_view(), c = o.c_view(), algorithm] {
    matprec::dot_general_into(c, a, b, {{1}, {0}, {}, {}}, {.precision = algorithm});
  });
}

void add_sgemm(const std::string& name, const Sizes& sizes) {
  add(name, [sizes](benchmark::State& state) {
    Operands operands(sizes);
    measure(state, operands, DotAlgorithm::kF32_F32_F32, sgemm(operands));
  });
}

void measure_two_threads(benchmark::State& state, int n) {
  Operands operands({.m = n, .n = n, .k = n});
  const Repeated run = sgemm(operands);
  const Repeated alone = [run](int times) {
    set_num_threads(1);
    run(times);
    set_num_threads(2);
  };
  set_num_threads(2);
  measure(state, operands, DotAlgorithm::kF32_F32_F32, run, {"one_thread", alone});
  set_num_threads(1);
}

}  // namespace matprec::bench
