#include "src/cli/operand.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/nearest.h"
#include "src/cli/number_text.h"
#include "src/io/file_error.h"
#include "src/io/npy.h"
#include "src/io/safetensors.h"

namespace matprec::cli {
namespace {

constexpr std::string_view kExtension = ".safetensors";
constexpr std::size_t kNamesShown = 10;

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// A name without the suffix that asks for a transpose.
struct Transposal {
  std::string name, suffix;
};

std::optional<Transposal> transposal_of(const std::string& name) {
  for (const std::string suffix : {".mT", ".T"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return Transposal{name.substr(0, name.size() - suffix.size()), suffix};
    }
  }
  return std::nullopt;
}

// As NumPy and the array API have it: .T is of matrices, .mT of matrices and stacks of them.
Operand transposed_by(const Transposal& transposal, Operand operand) {
  const std::size_t rank = operand.view.rank();
  if (rank < 2 || (rank > 2 && transposal.suffix == ".T")) {
    throw io::FileError(operand.name, "has shape " + to_string(operand.view.shape()) + "; " +
                                          transposal.suffix + " needs two dimensions" +
                                          (rank < 2 ? (transposal.suffix == ".T" ? "" : " or more")
                                                    : ", .mT exchanges the last two of more"));
  }
  operand.view = last_two_exchanged(operand.view);
  operand.name += transposal.suffix;
  return operand;
}

Operand npy_operand(const std::string& path, bool u2_is_bfloat16) {
  const auto array = std::make_shared<const io::NpyArray>(io::read_npy(path));
  return {path, io::view_of(*array, u2_is_bfloat16), array};
}

// "x" (64, 32) F32, ...: the first of them, and how many more.
std::string listed(const std::vector<const io::SafetensorsEntry*>& entries) {
  std::string text;
  const std::size_t shown = std::min(entries.size(), kNamesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + io::quoted_tensor_name(entries[i]->name) + " " +
            to_string(entries[i]->shape) + " " + entries[i]->dtype;
  }
  if (entries.size() > shown) text += " and " + std::to_string(entries.size() - shown) + " more";
  return text;
}

std::vector<const io::SafetensorsEntry*> entries_of(const io::SafetensorsFile& file) {
  std::vector<const io::SafetensorsEntry*> entries;
  for (const io::SafetensorsEntry& entry : file.entries()) entries.push_back(&entry);
  return entries;
}

[[noreturn]] void no_tensor_named(const io::SafetensorsFile& file) {
  throw io::FileError(
      file.path(),
      "holds " + counted(static_cast<std::int64_t>(file.entries().size()), "tensor", "tensors") +
          "; name one as " + file.path() + ":NAME, of: " + listed(entries_of(file)) +
          " (matprec tensors shows all)");
}

[[noreturn]] void unknown_tensor(const io::SafetensorsFile& file, const std::string& name) {
  std::vector<std::pair<std::size_t, const io::SafetensorsEntry*>> by_distance;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    by_distance.emplace_back(edit_distance(name, entry.name), &entry);
  }
  std::ranges::stable_sort(by_distance, {}, [](const auto& pair) { return pair.first; });
  std::vector<const io::SafetensorsEntry*> nearest_first;
  for (const auto& [distance, entry] : by_distance) nearest_first.push_back(entry);
  throw io::FileError(file.path(),
                      "holds no tensor " + io::quoted_tensor_name(name) +
                          (nearest_first.empty() ? " and no other" : "; nearest first: ") +
                          listed(nearest_first));
}

Operand safetensors_operand(const std::string& path, const std::string& name) {
  const io::SafetensorsFile file(path);
  const auto read = [&](const io::SafetensorsEntry& entry) -> Operand {
    const auto bytes = std::make_shared<const std::vector<std::byte>>(file.read(entry));
    const ElementType type = io::element_type_of_safetensors(entry.dtype).value();
    return {path + ":" + entry.name, TensorView(bytes->data(), type, entry.shape), bytes};
  };
  if (const io::SafetensorsEntry* entry = file.find(name)) return read(*entry);
  if (name.empty()) no_tensor_named(file);
  const std::optional<Transposal> transposal = transposal_of(name);
  if (transposal) {
    if (const io::SafetensorsEntry* entry = file.find(transposal->name)) {
      return transposed_by(*transposal, read(*entry));
    }
  }
  unknown_tensor(file, transposal ? transposal->name : name);
}

// Where the tensor's name begins, behind ".safetensors:". Folders may be called so as well: the
// first such place behind which a file ends wins, without any the first.
std::optional<std::size_t> tensor_name_in(const std::string& argument) {
  std::optional<std::size_t> first;
  const std::string mark = std::string(kExtension) + ":";
  for (std::size_t at = argument.find(mark); at != argument.npos;
       at = argument.find(mark, at + 1)) {
    const std::size_t colon = at + kExtension.size();
    if (is_file(argument.substr(0, colon))) return colon + 1;
    if (!first) first = colon + 1;
  }
  return first;
}

}  // namespace

std::string described(const Operand& operand) {
  return operand.name + " " + to_string(operand.view.shape()) + " " +
         std::string(to_string(operand.view.type()));
}

Operand read_operand(const std::string& argument, bool u2_is_bfloat16) {
  const bool is_safetensors = argument.ends_with(kExtension);
  if (is_file(argument) && !is_safetensors) return npy_operand(argument, u2_is_bfloat16);
  if (const std::optional<std::size_t> name = tensor_name_in(argument)) {
    return safetensors_operand(argument.substr(0, *name - 1), argument.substr(*name));
  }
  if (is_safetensors) return safetensors_operand(argument, "");
  const std::optional<Transposal> transposal = transposal_of(argument);
  if (transposal && transposal->name.ends_with(".npy")) {
    return transposed_by(*transposal, npy_operand(transposal->name, u2_is_bfloat16));
  }
  return npy_operand(argument, u2_is_bfloat16);
}

Operand operand_of(const std::string& name, Tensor tensor) {
  const auto memory = std::make_shared<const Tensor>(std::move(tensor));
  return {name, *memory, memory};
}

TensorView last_two_exchanged(const TensorView& view) {
  Dims shape = view.shape(), strides = view.strides();
  const std::size_t rank = shape.size();
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return TensorView(view.data(), view.type(), shape, strides);
}

TensorView transposed(const Operand& operand) {
  if (operand.view.rank() < 2) {
    throw io::FileError(operand.name, "has shape " + to_string(operand.view.shape()) +
                                          "; a transpose needs two dimensions or more");
  }
  return last_two_exchanged(operand.view);
}

}  // namespace matprec::cli
