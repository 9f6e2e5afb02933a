#include "src/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/io/file_error.h"

namespace matprec::io {
namespace {

// The temporary file of the write under way, for remove_unfinished_file(). The flag is published
// last and withdrawn first, so a handler never sees half a name.
constexpr std::size_t kMaxPath = 4096;
char unfinished_path[kMaxPath];
std::atomic<bool> unfinished{false};

FileError not_written(const std::string& path, int error) {
  return FileError(path, std::string("cannot be written: ") + std::strerror(error));
}

// "" or what ends in a slash.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The file that `path` names: behind links, if it is there.
std::string target_of(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  const std::string target = resolved;
  std::free(resolved);
  return target;
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : path_(target_of(path)),
      temporary_(folder_of(path_) + "matprec.unfinished." + std::to_string(::getpid())) {
  if (temporary_.size() >= kMaxPath) throw FileError(path, "the name is too long");
  std::memcpy(unfinished_path, temporary_.c_str(), temporary_.size() + 1);
  unfinished.store(true);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error = errno;
    unfinished.store(false);
    throw not_written(path, error);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  remove_unfinished_file();
}

void OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw not_written(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void OutputFile::append(std::string_view text) {
  append({reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

void OutputFile::finish() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw not_written(path_, errno);
  }
  unfinished.store(false);
}

void require_writable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw not_written(path, EISDIR);
    if (!S_ISREG(status.st_mode)) throw FileError(path, "is no regular file; name one, or a new one");
  } else if (errno != ENOENT) {
    throw not_written(path, errno);
  } else if (::lstat(path.c_str(), &status) == 0) {
    throw FileError(path, "is a link to what is not there; remove it or make its target");
  }
  const std::string folder = folder_of(target_of(path));
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    throw not_written(path, errno);
  }
}

void remove_unfinished_file() noexcept {
  if (unfinished.exchange(false)) ::unlink(unfinished_path);
}

}  // namespace matprec::io
