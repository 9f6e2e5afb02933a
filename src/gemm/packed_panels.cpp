#include "src/gemm/packed_panels.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "src/gemm/ceil_div.h"
#include "src/gemm/one_product.h"
#include "src/gemm/pack.h"
#include "src/gemm/spread.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/workspace.h"

namespace matprec::gemm {
namespace {

// Bytes of an operand that are worth a thread: packing them takes as long as waking one.
constexpr std::int64_t kBytesPerThread = std::int64_t{1} << 18;

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  const bool large = bytes >= Workspace::kHugePage;
  if (posix_memalign(&data, large ? Workspace::kHugePage : 64, bytes) != 0) throw std::bad_alloc();
  if (large) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

}  // namespace

PackedPanels pack_panels(const Source& source, DotAlgorithm algorithm, const kernels::KernelTable& kernels,
                         std::int64_t columns, std::int64_t steps, int threads, std::size_t least_bytes) {
  return with_sum_type(algorithm, [&](auto zero) {
    using T = decltype(zero);
    const kernels::Forms forms = forms_of(algorithm, false);
    const std::int64_t width = sizeof(T) == 8 ? kernels.tile_columns_f64 : kernels.tile_columns_f32;
    const std::int64_t pitch = width * forms.fmas, panels = ceil_div(columns, width);
    std::size_t bytes = 0;
    const bool too_large =
        __builtin_mul_overflow(static_cast<std::size_t>(panels * width), static_cast<std::size_t>(steps), &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(T) * static_cast<std::size_t>(forms.fmas), &bytes);
    if (too_large) throw std::bad_alloc();
    // A tile fetches ahead of what it reads.
    bytes = std::max(bytes, least_bytes) + static_cast<std::size_t>(kernels::kPackedAhead * pitch) * sizeof(T);
    PackedPanels result{algorithm, &kernels, columns, steps, width, pitch, {}, bytes};
    result.data.reset(allocate(bytes));
    if (columns == 0 || steps == 0) return result;

    const Operand operand = operand_at(source, 0);
    const std::int64_t size = steps * pitch;  // of a panel
    const std::int64_t worth = size * panels * static_cast<std::int64_t>(sizeof(T)) / kBytesPerThread;
    const int wanted = static_cast<int>(std::clamp<std::int64_t>(std::min(worth, panels), 1, threads));
    const std::int64_t tasks = std::min<std::int64_t>(panels, wanted * 4);
    spread(tasks, wanted, [&](std::int64_t task) {
      const Range range = part_of(columns, width, static_cast<int>(tasks), task);
      pack_columns(operand, kernels, forms, range.first, range.size(), width, 0, steps,
                   Workspace::of_this_thread(), static_cast<T*>(result.data.get()) + range.first / width * size);
    });
    return result;
  });
}

}  // namespace matprec::gemm
