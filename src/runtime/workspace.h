// Scratch memory of one thread: aligned, grown on demand, kept for the next product.
//
// Knows when its thread uses it, so that release_memory() may take the rest; not what lies in it.
#ifndef MATPREC_SRC_RUNTIME_WORKSPACE_H_
#define MATPREC_SRC_RUNTIME_WORKSPACE_H_

#include <atomic>
#include <cstddef>

namespace matprec {

class Workspace {
 public:
  // The purposes that are alive at the same time.
  enum Slot { kPackedA, kPackedB, kPending, kGather, kPanels, kStepParts, kSlots };
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  // This thread's own, and from now on in use: nobody else touches it until the outermost
  // WorkspaceUse of the thread ends.
  static Workspace& of_this_thread();

  // At least `bytes`, aligned to 64, with room to prefetch past the end. Its content is anything.
  void* get(Slot slot, std::size_t bytes) {
    if (buffers_[slot].bytes < bytes) grow(buffers_[slot], bytes);
    return buffers_[slot].data;
  }

 private:
  friend class WorkspaceList;
  struct Buffer {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  static void grow(Buffer& buffer, std::size_t bytes);
  void free_all();

  Buffer buffers_[kSlots];  // by whom has set in_use_
  std::atomic<bool> in_use_ = true;
  std::atomic<bool> has_thread_ = true;
  Workspace* next_ = nullptr;  // in the list of all; fixed once it is there
};

// Stands around the work of a product on each thread. What the thread took of its workspace is its
// own until the outermost one ends. Costs a nanosecond where nothing was taken.
class WorkspaceUse {
 public:
  WorkspaceUse();
  ~WorkspaceUse();
  WorkspaceUse(const WorkspaceUse&) = delete;
  WorkspaceUse& operator=(const WorkspaceUse&) = delete;
};

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_WORKSPACE_H_
