// A program that breaks the hook's one rule: this file multiplies Eigen matrices and does not
// include it.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>

std::string error_of_check_in_the_file_with_the_hook();

namespace {

TEST(EigenHook, FindsAFileWithoutIt) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Ones(32, 32);
  const Eigen::VectorXf v = Eigen::VectorXf::Ones(32);
  Eigen::MatrixXf c(32, 32);
  Eigen::VectorXf w(32);
  c.noalias() = a * a;
  w.noalias() = a * v;
  EXPECT_EQ(c(0, 0) + w(0), 64);
  EXPECT_NE(error_of_check_in_the_file_with_the_hook().find("-include matprec/eigen_hook.h"),
            std::string::npos);
}

}  // namespace
