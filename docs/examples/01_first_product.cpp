// A 2x2 product of float32, as written and as one bfloat16 pass computes it.
#include <matprec/matprec.h>

#include <iomanip>
#include <iostream>

namespace mp = matprec;

void print(const char* name, const mp::Tensor& c) {
  const float* e = c.data<float>();
  std::cout << name << std::fixed << std::setprecision(8) << "  [[" << e[0] << ", " << e[1]
            << "], [" << e[2] << ", " << e[3] << "]]\n";
}

int main() {
  const float x[] = {0.3744f, 0.1656f, 0.4707f, 0.1663f};
  const float y[] = {0.3946f, 0.1186f, 0.1569f, 0.3145f};
  const mp::TensorView a(x, {2, 2});
  const mp::TensorView b(y, {2, 2});

  print("float32", mp::matmul(a, b));  // float32 means float32
  print("tf32   ", mp::matmul(a, b, {.precision = "tf32"}));
  print("bf16x3 ", mp::matmul(a, b, {.precision = mp::DotAlgorithm::kBF16_BF16_F32_X3}));
  print("bf16   ", mp::matmul(a, b, {.precision = "bf16"}));
}
