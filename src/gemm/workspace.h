// Scratch memory of one thread: aligned, grown on demand, kept for the next product.
#ifndef MATPREC_SRC_GEMM_WORKSPACE_H_
#define MATPREC_SRC_GEMM_WORKSPACE_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace matprec::gemm {

class Workspace {
 public:
  // The purposes that are alive at the same time.
  enum Slot { kPackedA, kPackedB, kPending, kGather, kPanels, kStepParts, kSlots };

  // At least `bytes`, aligned to 64, with room to prefetch past the end. Its content is anything.
  void* get(Slot slot, std::size_t bytes) {
    Buffer& buffer = buffers_[slot];
    if (buffer.bytes < bytes) {
      buffer.data.reset();
      buffer.bytes = 0;
      // Large ones of huge pages, where the system has them: a panel must not be a page table's worth.
      const std::size_t unit = bytes >= kHugePage / 4 ? kHugePage : 4096;
      const std::size_t rounded = (bytes + unit - 1) / unit * unit;
      buffer.data.reset(std::aligned_alloc(unit == kHugePage ? unit : 64, rounded));
      if (buffer.data == nullptr) throw std::bad_alloc();
      if (unit == kHugePage) madvise(buffer.data.get(), rounded, MADV_HUGEPAGE);
      buffer.bytes = rounded;
    }
    return buffer.data.get();
  }

  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  static Workspace& of_this_thread() {
    static thread_local Workspace workspace;
    return workspace;
  }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  struct Buffer {
    std::unique_ptr<void, Free> data;
    std::size_t bytes = 0;
  };
  Buffer buffers_[kSlots];
};

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_WORKSPACE_H_
