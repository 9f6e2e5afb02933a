// What a command line names as an operand: an array of a file, as it lies there or transposed.
//
//   a.npy                             an array of NumPy's
//   w.safetensors:layer.0.weight      a tensor of a .safetensors file
//   w.safetensors:layer.0.weight.T    its transpose, also of a.npy.T; .mT exchanges the last two
//                                     dimensions of a stack of matrices
//
// What a file is called wins over what its name could mean: a.npy.T is a file where there is such a
// file, and w.safetensors:x.T is the tensor "x.T" where there is such a tensor.
#ifndef MATPREC_SRC_CLI_OPERAND_H_
#define MATPREC_SRC_CLI_OPERAND_H_

#include <memory>
#include <string>

#include "matprec/tensor.h"

namespace matprec::cli {

struct Operand {
  std::string name;  // as it was typed, for titles and errors
  TensorView view;
  std::shared_ptr<const void> memory;  // owns what the view shows
};

// "a.npy (3, 4) float32"
std::string described(const Operand& operand);

// Errors: FileError; a file of .safetensors without a tensor's name, or with one that is not there
// (the text lists names, the nearest first); .T of other than two dimensions, .mT of fewer.
Operand read_operand(const std::string& argument, bool u2_is_bfloat16);

// An operand that was made here.
Operand operand_of(const std::string& name, Tensor tensor);

// The same elements with the last two dimensions exchanged; there are two at least.
TensorView last_two_exchanged(const TensorView& view);
// The same of an operand. Errors: fewer than two dimensions.
TensorView transposed(const Operand& operand);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_OPERAND_H_
