// A regular file that is open for reading.
#ifndef MATPREC_SRC_IO_INPUT_FILE_H_
#define MATPREC_SRC_IO_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace matprec::io {

class InputFile {
 public:
  // `expected` says in an error what should have been there, for example "a .npy file".
  // Errors: whatever the system says; a folder, a pipe or a device.
  InputFile(const std::string& path, const std::string& expected);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // All of `into`, from byte `begin` of the file on. Errors: the file has become shorter.
  void read(std::uint64_t begin, std::span<std::byte> into) const;

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_INPUT_FILE_H_
