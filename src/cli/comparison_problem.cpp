#include "src/cli/comparison_problem.h"

#include <utility>

#include "matprec/dot_general.h"
#include "matprec/error.h"
#include "matprec/explain.h"
#include "src/cli/pairwise_distance.h"

namespace matprec::cli {
namespace {

std::string described(const TensorView& view, const std::string& file) {
  return file + " " + to_string(view.shape()) + " " + std::string(to_string(view.type()));
}

TensorView transposed(const TensorView& view, const std::string& file) {
  const std::size_t rank = view.rank();
  if (rank < 2) {
    throw io::FileError(file, "has shape " + to_string(view.shape()) +
                                  "; a transpose needs two dimensions or more");
  }
  Dims shape = view.shape(), strides = view.strides();
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return TensorView(view.data(), view.type(), shape, strides);
}

std::shared_ptr<const io::NpyArray> read(const std::string& file) {
  return std::make_shared<const io::NpyArray>(io::read_npy(file));
}

}  // namespace

ComparisonProblem::ComparisonProblem(ProblemKind kind,
                                     std::shared_ptr<const io::NpyArray> lhs_array,
                                     std::shared_ptr<const io::NpyArray> rhs_array, TensorView lhs,
                                     TensorView rhs, std::string title)
    : kind_(kind),
      lhs_array_(std::move(lhs_array)),
      rhs_array_(std::move(rhs_array)),
      lhs_(std::move(lhs)),
      rhs_(std::move(rhs)),
      title_(std::move(title)),
      out_type_(lhs_.type() == ElementType::kF64 || rhs_.type() == ElementType::kF64
                    ? ElementType::kF64
                    : ElementType::kF32) {
  explain(lhs_, rhs_);  // throws the library's own error if the shapes do not fit
}

ComparisonProblem ComparisonProblem::product(const std::string& lhs_file,
                                             const std::string& rhs_file, bool transpose_rhs,
                                             bool u2_is_bfloat16) {
  auto lhs_array = read(lhs_file);
  auto rhs_array = read(rhs_file);
  const TensorView lhs = io::view_of(*lhs_array, u2_is_bfloat16);
  const TensorView rhs = io::view_of(*rhs_array, u2_is_bfloat16);
  std::string title = described(lhs, lhs_file) + " times " +
                      (transpose_rhs ? "the transpose of " : "") + described(rhs, rhs_file);
  return ComparisonProblem(ProblemKind::kProduct, std::move(lhs_array), std::move(rhs_array), lhs,
                           transpose_rhs ? transposed(rhs, rhs_file) : rhs, std::move(title));
}

ComparisonProblem ComparisonProblem::gram(const std::string& file, bool u2_is_bfloat16) {
  auto array = read(file);
  const TensorView view = io::view_of(*array, u2_is_bfloat16);
  return ComparisonProblem(ProblemKind::kGram, array, array, view, transposed(view, file),
                           described(view, file) + " times its own transpose");
}

ComparisonProblem ComparisonProblem::distance(const std::string& file, bool u2_is_bfloat16) {
  auto array = read(file);
  const TensorView view = io::view_of(*array, u2_is_bfloat16);
  if (view.rank() != 2) {
    throw io::FileError(file, "has shape " + to_string(view.shape()) +
                                  "; --distance needs a matrix with a point in each row");
  }
  return ComparisonProblem(
      ProblemKind::kDistance, array, array, view, transposed(view, file),
      "squared distances |x|^2 + |y|^2 - 2 x.y of the rows of " + described(view, file));
}

Tensor ComparisonProblem::run(DotAlgorithm algorithm) const {
  if (kind_ == ProblemKind::kDistance) return pairwise_distance(lhs_, algorithm).sqdist;
  return matmul(lhs_, rhs_, {.precision = algorithm, .preferred_element_type = out_type_});
}

}  // namespace matprec::cli
