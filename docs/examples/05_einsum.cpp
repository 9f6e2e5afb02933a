// Products of several operands: as an equation, with the path shown, under a scope.
#include <matprec/matprec.h>

#include <iostream>

namespace mp = matprec;

int main() {
  // Scores of 2 queries against 3 keys for 2 heads, through one mixing matrix.
  const mp::Tensor queries = mp::Tensor::of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const mp::Tensor keys = mp::Tensor::of<float>({3, 2, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 1, 2});
  const mp::Tensor mixing = mp::Tensor::of<float>({2, 2}, {1, 0.5f, 0.25f, 1.001f});
  const char* equation = "qhd,de,khe->hqk";

  std::cout << mp::explain_einsum(equation, {queries, mixing, keys}) << '\n';

  const mp::Tensor scores = mp::einsum(equation, {queries, mixing, keys});
  const mp::ScopedPrecision guard("bf16");
  const mp::Tensor rounded = mp::einsum(equation, {queries, mixing, keys});
  std::cout << "float32  " << scores.data<float>()[4] << "\nbfloat16 " << rounded.data<float>()[4]
            << '\n';

  try {
    mp::einsum("qhd,ke->qhk", {queries, mp::Tensor(mp::ElementType::kF32, {3, 2, 2})});
  } catch (const mp::Error& error) {
    std::cout << error.what() << '\n';
  }
}
