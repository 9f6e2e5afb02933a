// Scratch memory of one thread: aligned, grown on demand, kept for the next product.
#ifndef MATPREC_SRC_GEMM_WORKSPACE_H_
#define MATPREC_SRC_GEMM_WORKSPACE_H_

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace matprec::gemm {

class Workspace {
 public:
  // The purposes that are alive at the same time.
  enum Slot { kPackedA, kPackedB, kPending, kGather, kPanels, kSlots };

  // At least `bytes`, aligned to 64, with room to prefetch past the end. Its content is anything.
  void* get(Slot slot, std::size_t bytes) {
    Buffer& buffer = buffers_[slot];
    if (buffer.bytes < bytes) {
      buffer.data.reset();
      buffer.bytes = 0;
      const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
      buffer.data.reset(std::aligned_alloc(64, rounded));
      if (buffer.data == nullptr) throw std::bad_alloc();
      buffer.bytes = rounded;
    }
    return buffer.data.get();
  }

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
