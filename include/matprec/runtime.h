// Threads, SIMD targets and memory. None ever changes a bit of a result.
//
//   mp::set_num_threads(1);
//   mp::set_target("AVX2");            // at most AVX2; "" takes the cap back
//   mp::release_memory();              // what threads keep for their next product
#ifndef MATPREC_RUNTIME_H_
#define MATPREC_RUNTIME_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/export.h"

namespace matprec {

// The most threads a product may use: set_num_threads(), else MATPREC_NUM_THREADS, else the processors
// that this process may use by affinity and cgroup, as they are at the first call.
MATPREC_API int num_threads();
// For all threads of the process. 0 takes the setting back. Errors: negative, above 1024.
MATPREC_API void set_num_threads(int threads);

struct TargetInfo {
  std::string_view name;  // "AVX3", "AVX2", "SSE4", ...
  bool usable;            // this machine has it
  bool fma;               // in hardware; otherwise the same bits by exact software
  int float_lanes;
};

// The SIMD targets built into the library, best first.
MATPREC_API std::vector<TargetInfo> targets();

// The target that products run on now: the best usable one not better than set_target(), else
// MATPREC_TARGET, else the best usable one.
MATPREC_API std::string_view current_target();
// Caps the target, process-wide; "" takes the cap back. Names as in targets(), ASCII case-insensitive.
// Errors: an unknown name (the text lists the known ones), or one that this machine cannot run.
MATPREC_API void set_target(std::string_view name);

// Extra memory. A product takes at most 8 MiB and 4 MiB more for each thread that works on it, whatever its
// size, and threads keep theirs for the next product.
MATPREC_API std::int64_t memory_limit(int threads);  // of one product, in bytes; Error below 1 thread
MATPREC_API std::int64_t memory_kept();              // by all threads now, in bytes
// Returns to the system what no product uses at this moment, other threads' too. Any thread may call it at any
// time. The next product takes memory again.
MATPREC_API void release_memory();

// MATPREC_* variables: name, value in force, meaning; for `matprec info`.
struct VariableInfo {
  std::string_view name;
  bool set;
  std::string value;
  std::string_view meaning;
};
MATPREC_API std::vector<VariableInfo> variables();

}  // namespace matprec

#endif  // MATPREC_RUNTIME_H_
