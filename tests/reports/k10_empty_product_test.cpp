// Kind K10: products without steps or without elements.
// OpenBLAS#2914, pytorch#31421, tvm#19578, onnxruntime#21483 (IL-57)
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

constexpr float* kNowhere = nullptr;

TEST(EmptyProduct, WithoutStepsOldMemoryBecomesPlusZero) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    std::vector<float> out(16, 7);
    dot_general_into(MutableTensorView(out.data(), {4, 4}), TensorView(kNowhere, {4, 0}),
                     TensorView(kNowhere, {0, 4}), matrix_product(), {.precision = row.algorithm});
    EXPECT_TRUE(same_bits<float>(out, std::vector<float>(16, 0.0f))) << row.name;
  }
}
TEST(EmptyProduct, ABatchWithoutStepsIsAllZero) {
  const Tensor out = dot_general(
      TensorView(kNowhere, {3, 2, 0}), TensorView(kNowhere, {3, 0, 3}),
      {.lhs_contracting = {2}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}});
  EXPECT_EQ(out.shape(), (Dims{3, 2, 3}));
  for (std::int64_t i = 0; i < out.size(); ++i) EXPECT_EQ(bits(out.data<float>()[i]), 0u);
}
TEST(EmptyProduct, WithoutRowsColumnsOrBatchesHasItsShapeAndTouchesNothing) {
  EXPECT_EQ(matmul(TensorView(kNowhere, {0, 5}), TensorView(kNowhere, {5, 3})).shape(),
            (Dims{0, 3}));
  EXPECT_EQ(matmul(TensorView(kNowhere, {3, 5}), TensorView(kNowhere, {5, 0})).shape(),
            (Dims{3, 0}));
  EXPECT_EQ(matmul(TensorView(kNowhere, {0, 2, 5}), TensorView(kNowhere, {0, 5, 3})).shape(),
            (Dims{0, 2, 3}));
  dot_general_into(MutableTensorView(kNowhere, {0, 3}), TensorView(kNowhere, {0, 5}),
                   TensorView(kNowhere, {5, 3}), matrix_product());
}

}  // namespace
}  // namespace matprec::testing
