// Products of Eigen matrices, each with a precision of its own.
#include <matprec/eigen.h>

#include <iostream>

namespace mp = matprec;

int main() {
  const Eigen::Matrix2f x{{0.3744f, 0.1656f}, {0.4707f, 0.1663f}};
  const Eigen::Matrix2f y{{0.3946f, 0.1186f}, {0.1569f, 0.3145f}};
  std::cout.precision(8);
  std::cout << "float32:\n" << mp::matmul(x, y) << '\n';  // float32 means float32

  Eigen::MatrixXf c = mp::with("bf16", x * y);  // Eigen's notation
  std::cout << "bf16:\n" << c << '\n';
  c -= mp::with("fp32", x * y);  // in place
  std::cout << "bf16 is wrong by at most " << c.cwiseAbs().maxCoeff() << '\n';

  const Eigen::VectorX<Eigen::bfloat16> ones = Eigen::VectorX<Eigen::bfloat16>::Ones(1000);
  std::cout << "1000 ones: " << mp::matmul<float>(ones.transpose(), ones) << '\n';
}
