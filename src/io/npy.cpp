#include "src/io/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/io/npy_header.h"

namespace matprec::io {
namespace {

std::string system_text() { return std::strerror(errno); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void read_exactly(int fd, std::span<std::byte> into, const std::string& name) {
  while (!into.empty()) {
    const ssize_t got = ::read(fd, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(name, "cannot be read: " + system_text());
    if (got == 0) throw FileError(name, "became shorter while it was read");
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

NpyArray array_of(NpyHeader header, const std::string& name) {
  NpyArray array;
  array.name = name;
  array.descr = std::move(header.descr);
  array.item_size = header.item_size;
  array.shape = header.shape;
  array.strides = header.strides;
  array.count = header.count;
  array.data.resize(header.data_bytes);
  return array;
}

}  // namespace

NpyArray read_npy(const std::string& path) {
  // A pipe that nobody writes to must be refused, not waited for; regular files never block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw FileError(path, "cannot be opened: " + system_text());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw FileError(path, system_text());
  if (!S_ISREG(status.st_mode)) throw FileError(path, "is no regular file; expected a .npy file");
  const std::uint64_t file_size = static_cast<std::uint64_t>(status.st_size);

  std::vector<std::byte> head(std::min<std::uint64_t>(file_size, kNpyPreamble));
  read_exactly(file.get(), head, path);
  const NpyHeaderExtent extent = npy_header_extent(head, file_size, path);
  const std::size_t have = head.size();
  // A version 1 file may be shorter than the preamble, or have its text begin inside it.
  head.resize(std::max(extent.end, have));
  if (extent.end > have) read_exactly(file.get(), std::span(head).subspan(have), path);
  const std::span<const std::byte> text =
      std::span<const std::byte>(head).subspan(extent.begin, extent.end - extent.begin);
  NpyArray array = array_of(parse_npy_header(text_of(text), extent.end, file_size, path), path);
  if (::lseek(file.get(), static_cast<off_t>(extent.end), SEEK_SET) < 0) {
    throw FileError(path, system_text());
  }
  read_exactly(file.get(), array.data, path);
  return array;
}

NpyArray parse_npy(std::span<const std::byte> file, const std::string& name) {
  const NpyHeaderExtent extent =
      npy_header_extent(file.first(std::min(file.size(), kNpyPreamble)), file.size(), name);
  const std::string_view text = text_of(file.subspan(extent.begin, extent.end - extent.begin));
  NpyArray array = array_of(parse_npy_header(text, extent.end, file.size(), name), name);
  std::ranges::copy(file.subspan(extent.end), array.data.begin());
  return array;
}

std::string_view npy_descr(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return "<f8";
    case ElementType::kF32:
      return "<f4";
    case ElementType::kBF16:
      return "<u2";
    case ElementType::kF16:
      return "<f2";
    case ElementType::kS8:
      return "|i1";
    case ElementType::kS32:
      return "<i4";
    case ElementType::kC64:
      return "<c8";
    case ElementType::kC128:
      return "<c16";
    case ElementType::kU8:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E5M2FNUZ:
      return "|u1";
  }
  return "";
}

std::optional<ElementType> element_type_of_descr(std::string_view descr, bool u2_is_bfloat16) {
  if (descr == "<f8") return ElementType::kF64;
  if (descr == "<f4") return ElementType::kF32;
  if (descr == "<f2") return ElementType::kF16;
  if (descr == "<u2" && u2_is_bfloat16) return ElementType::kBF16;
  return std::nullopt;
}

TensorView view_of(const NpyArray& array, bool u2_is_bfloat16) {
  const std::optional<ElementType> type = element_type_of_descr(array.descr, u2_is_bfloat16);
  if (!type) {
    throw FileError(array.name, "holds '" + array.descr + "'; expected '<f8', '<f4' or '<f2'" +
                                    (array.descr == "<u2" ? ", or --bf16 to read '<u2' as bfloat16"
                                                          : ", in NumPy: a.astype('<f4')"));
  }
  return TensorView(array.data.data(), *type, array.shape, array.strides);
}

}  // namespace matprec::io
