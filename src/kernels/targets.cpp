#include "src/kernels/targets.h"

#include <atomic>
#include <cctype>
#include <string>

#include "matprec/error.h"
#include "matprec/runtime.h"
#include "src/environment.h"
#include "src/error_text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace matprec {
namespace kernels {
namespace {

#if defined(__x86_64__)
// The instruction sets that Highway 1.0.3 compiles each target for. The compiler's detection also asks
// the operating system whether it saves the wide registers; F16C and PCLMUL belong to AVX2 there and have
// no name that both compilers know.
bool machine_has(std::string_view target) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  const bool pclmul_aes = (c & bit_PCLMUL) != 0 && (c & bit_AES) != 0;
  const bool f16c = (c & bit_F16C) != 0;
  if (target == "SSSE3") return __builtin_cpu_supports("ssse3");
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") && pclmul_aes;
  if (target == "SSE4") return sse4;
  const bool avx2 = sse4 && f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (target == "AVX2") return avx2;
  if (target == "AVX3") {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  }
  return target == "SCALAR" || target == "EMU128";
}
#else
bool machine_has(std::string_view) { return true; }  // NEON belongs to every aarch64 processor
#endif

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// The best usable table that is not better than the named one. The scalar fallback has one name by
// compiler (SCALAR with g++ 12, EMU128 with clang); either name means it.
const KernelTable& capped(std::string_view name, std::string_view entrance) {
  const std::string wanted = upper(name);
  const bool fallback = wanted == "SCALAR" || wanted == "EMU128";
  bool found = false;
  std::string known;
  for (const KernelTable* table : compiled_tables()) {
    const std::string_view own = table->name;
    known += (known.empty() ? "" : ", ") + std::string(own);
    found = found || own == wanted || (fallback && (own == "SCALAR" || own == "EMU128"));
    if (found && usable(*table)) return *table;
  }
  throw Error(std::string(entrance) + ": " + in_quotes(name) +
              " is not a SIMD target of this build; known here: " + known);
}

const KernelTable& best() {
  for (const KernelTable* table : compiled_tables()) {
    if (usable(*table)) return *table;
  }
  return *compiled_tables().back();
}

}  // namespace

bool usable(const KernelTable& table) { return machine_has(table.name); }

namespace detail {

constinit std::atomic<const KernelTable*> cap{nullptr};
constinit std::atomic<const KernelTable*> by_default{nullptr};

const KernelTable& find_default() {
  const Environment& env = environment();
  const KernelTable& table = env.target.empty() ? best() : capped(env.target, "MATPREC_TARGET");
  by_default.store(&table, std::memory_order_release);
  return table;
}

}  // namespace detail

}  // namespace kernels

std::vector<TargetInfo> targets() {
  std::vector<TargetInfo> list;
  for (const kernels::KernelTable* table : kernels::compiled_tables()) {
    list.push_back({table->name, kernels::usable(*table), table->fma, table->float_lanes});
  }
  return list;
}

std::string_view current_target() { return kernels::current().name; }

void set_target(std::string_view name) {
  if (name.empty()) {
    kernels::detail::cap.store(nullptr, std::memory_order_release);
    return;
  }
  const kernels::KernelTable& table = kernels::capped(name, "set_target");
  if (kernels::upper(name) != table.name && kernels::upper(name) != "SCALAR" &&
      kernels::upper(name) != "EMU128") {
    throw Error("set_target: this machine cannot run " + kernels::upper(name) + "; the best it has is " +
                std::string(table.name));
  }
  kernels::detail::cap.store(&table, std::memory_order_release);
}

}  // namespace matprec
