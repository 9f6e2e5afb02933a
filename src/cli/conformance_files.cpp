// The .npy files that a manifest names.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "src/cli/conformance_manifest.h"
#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

io::NpyArray read_checked(const std::string& directory, const std::string& file,
                          const Dims& shape) {
  io::NpyArray array = io::read_npy(directory + "/" + file);
  if (!(array.shape == shape)) {
    throw io::FileError(array.name, "has shape " + to_string(array.shape) + ", the manifest says " +
                                        to_string(shape));
  }
  return array;
}

// Row-major bytes, whatever order the file has.
Tensor row_major(const io::NpyArray& array, ElementType type) {
  Tensor result(type, array.shape);
  std::byte* out = static_cast<std::byte*>(result.data());
  for (std::int64_t i = 0; i < array.count; ++i) {
    const Dims index = index_of(i, array.shape);
    std::int64_t position = 0;
    for (std::size_t d = 0; d < index.size(); ++d) position += index[d] * array.strides[d];
    std::memcpy(out + static_cast<std::size_t>(i) * array.item_size,
                array.data.data() + static_cast<std::size_t>(position) * array.item_size,
                array.item_size);
  }
  return result;
}

}  // namespace

void check_view(const ManifestView& view, std::int64_t count, const std::string& place) {
  // 128 bits hold every sum of a handful of products of 64-bit numbers.
  __int128 least = view.offset, most = view.offset;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] < 0) throw io::FileError(place, "the view has a negative size");
    if (view.shape[d] == 0) return;
    const __int128 reach = static_cast<__int128>(view.strides[d]) * (view.shape[d] - 1);
    (reach < 0 ? least : most) += reach;
  }
  if (least < 0 || most >= count) {
    throw io::FileError(place, "the view at offset " + std::to_string(view.offset) + " of shape " +
                                   to_string(view.shape) + " and strides " +
                                   to_string(view.strides) + " leaves the " +
                                   std::to_string(count) + " elements of the file");
  }
}

LoadedArray load_array(const std::string& directory, const ManifestArray& spec) {
  io::NpyArray array = read_checked(directory, spec.file, spec.shape);
  const std::optional<ElementType> type = element_type_named(spec.dtype, false);
  if (!type || io::npy_descr(*type) != array.descr) {
    throw io::FileError(
        array.name, "holds '" + array.descr + "', which is not how " + spec.dtype + " is stored");
  }
  TensorView view(array.data.data(), *type, array.shape, array.strides);
  if (spec.view) {
    check_view(*spec.view, array.count, array.name);
    const std::byte* first =
        array.count == 0
            ? array.data.data()
            : array.data.data() + static_cast<std::ptrdiff_t>(array.item_size) * spec.view->offset;
    view = TensorView(first, view.type(), spec.view->shape, spec.view->strides);
  }
  return {std::move(array), view};
}

Tensor load_tensor(const std::string& directory, const ManifestArray& spec) {
  ManifestArray whole = spec;
  whole.view.reset();
  const LoadedArray loaded = load_array(directory, whole);
  return row_major(loaded.array, loaded.view.type());
}

std::vector<bool> load_mask(const std::string& directory, const std::string& file,
                            const Dims& shape) {
  const io::NpyArray array = read_checked(directory, file, shape);
  if (array.descr != "|u1" && array.descr != "|b1") {
    throw io::FileError(array.name, "holds '" + array.descr + "'; a mask is '|u1'");
  }
  std::vector<bool> mask;
  for (std::int64_t i = 0; i < array.count; ++i) {
    const Dims index = index_of(i, shape);
    std::int64_t position = 0;
    for (std::size_t d = 0; d < index.size(); ++d) position += index[d] * array.strides[d];
    mask.push_back(array.data[static_cast<std::size_t>(position)] != std::byte{0});
  }
  return mask;
}

Tensor load_bound(const std::string& directory, const std::string& file, const Dims& shape) {
  const io::NpyArray array = read_checked(directory, file, shape);
  if (array.descr != "<f4" && array.descr != "<f8") {
    throw io::FileError(array.name, "holds '" + array.descr + "'; a bound is '<f4' or '<f8'");
  }
  return row_major(array, array.descr == "<f4" ? ElementType::kF32 : ElementType::kF64);
}

}  // namespace matprec::cli
