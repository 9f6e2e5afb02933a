#include "src/io/npy.h"
#include "src/io/output_file.h"

namespace matprec::io {
namespace {

// Magic, version 1.0, length and dictionary, padded so that the data begins at a multiple of 64.
std::string header_text(std::string_view descr, const Dims& shape, const std::string& target) {
  std::string text = "{'descr': '" + std::string(descr) +
                     "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  const std::size_t unpadded = kPreamble + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  if (text.size() > 0xffff) throw FileError(target, "shape " + to_string(shape) + " is too long");
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

}  // namespace

void write_npy(const std::string& path, std::string_view descr, std::size_t item_size,
               const Dims& shape, std::span<const std::byte> data) {
  std::size_t bytes = item_size;
  for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  if (bytes != data.size()) {
    throw FileError(path, "shape " + to_string(shape) + " needs " + std::to_string(bytes) +
                              " bytes, got " + std::to_string(data.size()));
  }
  const std::string head = header_text(descr, shape, path);
  OutputFile file(path);
  file.append(head);
  file.append(data);
  file.finish();
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const std::size_t item_size = size_of(tensor.type());
  write_npy(path, npy_descr(tensor.type()), item_size, tensor.shape(),
            {static_cast<const std::byte*>(tensor.data()),
             static_cast<std::size_t>(tensor.size()) * item_size});
}

}  // namespace matprec::io
