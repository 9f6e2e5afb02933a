#include "src/cli/gnuplot.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "matprec/error.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

std::atomic<pid_t> at_work{0};  // for stop_gnuplot()

Error failed(const std::string& what, int error) {
  return Error("gnuplot: " + what + ": " + std::strerror(error));
}

// Bytes in memory that another process can read or write as a file: neither can wait for the other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw failed("no memory file", errno);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  void fill(std::string_view text) {
    while (!text.empty()) {
      const ssize_t put = ::write(descriptor_, text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw failed("its script cannot be written", errno);
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  std::string content() const {
    std::string text;
    char buffer[65536];
    for (ssize_t got; (got = ::pread(descriptor_, buffer, sizeof buffer,
                                     static_cast<off_t>(text.size()))) > 0;) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int descriptor_;
};

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// The line of gnuplot's complaint that says what is wrong; it stands below a picture of the
// command.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\n");
  if (end == text.npos) return "it does not say why";
  const std::size_t line = text.rfind('\n', end) + 1;  // 0 if there is no line before
  const std::size_t begin = text.find_first_not_of(" \t", line);
  return text.substr(begin, end + 1 - begin);
}

int status_of(const std::string& program, const MemoryFile& in, const MemoryFile& out,
              const MemoryFile& err) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::string name = "gnuplot", no_settings = "-d";
  char* const arguments[] = {name.data(), no_settings.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw failed(program + " cannot be started", error);
  at_work.store(child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  at_work.store(0);
  return status;
}

// The first bytes of a text that are whole characters; `text` is UTF-8.
std::string cut(const std::string& text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

}  // namespace

std::string require_gnuplot() {
  const char* variable = ::getenv("PATH");
  const std::string path = variable == nullptr ? "" : variable;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string program = path.substr(begin, end - begin) + "/gnuplot";
    // An empty entry means the working folder, which is no place to run programs from.
    if (end > begin && is_program(program)) return program;
    begin = end + 1;
  }
  throw Error(
      "--plot: the program gnuplot, which draws the picture, is not in PATH; on Debian: apt-get "
      "install gnuplot-nox");
}

std::string svg_of_script(const std::string& script) {
  MemoryFile in("script"), out("picture"), err("complaints");
  in.fill(script);
  const int status = status_of(require_gnuplot(), in, out, err);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error("gnuplot: no picture was drawn: " + last_line(err.content()));
  }
  std::string svg = out.content();
  if (svg.find("</svg>") == svg.npos) {
    throw Error("gnuplot: its picture is not complete: " + last_line(err.content()));
  }
  return svg;
}

std::string script_string(std::string_view text) {
  constexpr std::size_t kRoom = 120;
  // JSON's writer replaces what is no UTF-8.
  const std::string utf8 = io::Json::parse(io::Json(text).dump()).text();
  std::string quoted = "'";
  for (const char c : cut(utf8, kRoom)) {
    const bool control = (c >= 0 && c < ' ') || c == '\x7f';
    quoted += control ? '?' : c;
    if (c == '\'') quoted += c;  // two stand for one; nothing else is special between such quotes
  }
  return quoted + "'";
}

void stop_gnuplot() noexcept {
  const pid_t child = at_work.load();
  if (child > 0) ::kill(child, SIGKILL);
}

}  // namespace matprec::cli
