// What a user of an installed matprec writes: one product whose result tells the algorithms apart.
#include <matprec/matprec.h>

#include <iostream>

int main() {
  namespace mp = matprec;
  const float x[] = {1024.5f};
  const float y[] = {1.0f};
  const mp::TensorView a(x, {1, 1});
  const mp::TensorView b(y, {1, 1});
  std::cout << mp::to_string(mp::effective().algorithm) << '\n';
  std::cout << "fp32 " << mp::matmul(a, b).data<float>()[0] << '\n';
  std::cout << "tf32 " << mp::matmul(a, b, {.precision = "tf32"}).data<float>()[0] << '\n';
  try {
    mp::matmul(a, b, {.precision = "tf23"});
  } catch (const mp::Error&) {
    std::cout << "an Error crosses the library's border\n";
  }
}
