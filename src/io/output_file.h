// A file that appears under its name only when it is complete: the bytes go to a temporary
// neighbour, which is then renamed.
#ifndef MATPREC_SRC_IO_OUTPUT_FILE_H_
#define MATPREC_SRC_IO_OUTPUT_FILE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace matprec::io {

// At most one at a time. Errors of all of it: whatever the system says.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  // Without finish() nothing is left.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  void finish();

 private:
  std::string path_, temporary_;  // links followed
  int descriptor_ = -1;
};

// Long work whose result goes to `path` asks this first. Errors: it names what is no regular file (a
// folder, a device, a pipe, a link to nothing); its name is too long; its own folder is not there or
// not open to new files.
void require_writable(const std::string& path);

// Deletes the temporary file of a write that is under way in this process, if there is one. For
// signal handlers: it calls nothing but unlink.
void remove_unfinished_file() noexcept;

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_OUTPUT_FILE_H_
