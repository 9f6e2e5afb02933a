#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/io/npy.h"

namespace matprec::io {
namespace {

// The temporary file of the write under way, for remove_unfinished_file(). The length is published
// last and withdrawn first, so a handler never sees half a name.
constexpr std::size_t kMaxPath = 4096;
char unfinished_path[kMaxPath];
std::atomic<bool> unfinished{false};

class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& target)
      : path_(target + ".unfinished." + std::to_string(::getpid())) {
    if (path_.size() >= kMaxPath) throw FileError(target, "the name is too long");
    std::memcpy(unfinished_path, path_.c_str(), path_.size() + 1);
    unfinished.store(true);
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) {
      const std::string problem = std::strerror(errno);
      unfinished.store(false);
      throw FileError(target, "cannot be written: " + problem);
    }
  }
  ~UnfinishedFile() {
    if (fd_ >= 0) ::close(fd_);
    remove_unfinished_file();
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  void append(const void* data, std::size_t size, const std::string& target) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t put = ::write(fd_, at, size);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0)
        throw FileError(target, std::string("cannot be written: ") + std::strerror(errno));
      at += put;
      size -= static_cast<std::size_t>(put);
    }
  }
  void finish(const std::string& target) {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0 || std::rename(path_.c_str(), target.c_str()) != 0) {
      throw FileError(target, std::string("cannot be written: ") + std::strerror(errno));
    }
    unfinished.store(false);
  }

 private:
  std::string path_;
  int fd_ = -1;
};

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
  UnfinishedFile file(path);
  file.append(head.data(), head.size(), path);
  file.append(data.data(), data.size(), path);
  file.finish(path);
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const std::size_t item_size = size_of(tensor.type());
  write_npy(path, npy_descr(tensor.type()), item_size, tensor.shape(),
            {static_cast<const std::byte*>(tensor.data()),
             static_cast<std::size_t>(tensor.size()) * item_size});
}

void remove_unfinished_file() noexcept {
  if (unfinished.exchange(false)) ::unlink(unfinished_path);
}

}  // namespace matprec::io
