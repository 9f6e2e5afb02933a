// What every reader and writer of this room throws: one line that names the file.
#ifndef MATPREC_SRC_IO_FILE_ERROR_H_
#define MATPREC_SRC_IO_FILE_ERROR_H_

#include <string>

#include "matprec/error.h"

namespace matprec::io {

class FileError : public Error {
 public:
  FileError(const std::string& file, const std::string& problem) : Error(file + ": " + problem) {}
};

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_FILE_ERROR_H_
