#include "src/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/io/file_error.h"

namespace matprec::io {
namespace {

std::string system_text() { return std::strerror(errno); }

}  // namespace

InputFile::InputFile(const std::string& path, const std::string& expected)
    : path_(path),
      // A pipe that nobody writes to must be refused, not waited for; regular files never block.
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw FileError(path, "cannot be opened: " + system_text());
  struct stat status {};
  std::string problem;
  if (::fstat(descriptor_, &status) != 0) {
    problem = system_text();
  } else if (!S_ISREG(status.st_mode)) {
    problem = "is no regular file; expected " + expected;
  }
  if (!problem.empty()) {
    ::close(descriptor_);
    throw FileError(path, problem);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read(std::uint64_t begin, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(path_, "cannot be read: " + system_text());
    if (got == 0) throw FileError(path_, "became shorter while it was read");
    into = into.subspan(static_cast<std::size_t>(got));
    begin += static_cast<std::uint64_t>(got);
  }
}

}  // namespace matprec::io
