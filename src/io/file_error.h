// What every reader and writer of this room throws: one line that names the file.
#ifndef MATPREC_SRC_IO_FILE_ERROR_H_
#define MATPREC_SRC_IO_FILE_ERROR_H_

#include <string>

#include "matprec/error.h"

namespace matprec::io {

class FileError : public Error {
 public:
  FileError(const std::string& file, const std::string& problem)
      : Error(shown(file) + ": " + problem) {}

 private:
  static std::string shown(const std::string& file) {
    if (file.empty()) return "\"\"";
    std::string text = file;
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
    }
    return text;
  }
};

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_FILE_ERROR_H_
