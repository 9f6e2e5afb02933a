#include "src/runtime/workspace.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "matprec/error.h"
#include "matprec/runtime.h"
#include "src/runtime/memory_limit.h"

namespace matprec {
namespace {

std::atomic<std::int64_t> kept_bytes = 0;

// What this thread knows of its workspace. Trivial, so that destructors that run late may still
// multiply.
struct Mine {
  Workspace* workspace;
  bool in_use;
  int uses;  // WorkspaceUse objects alive
};
constinit thread_local Mine mine = {};

}  // namespace

// All workspaces of the process. Without a lock, which a fork() could leave closed in the child:
// they are never taken out of the list, only handed to another thread.
class WorkspaceList {
 public:
  static Workspace* add_or_reuse() {
    for (Workspace* w = first_.load(std::memory_order_acquire); w != nullptr; w = w->next_) {
      bool has_thread = false;
      if (w->has_thread_.compare_exchange_strong(has_thread, true, std::memory_order_acquire))
        return w;
    }
    auto* const made = new Workspace;
    made->in_use_.store(false, std::memory_order_relaxed);
    made->next_ = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(made->next_, made, std::memory_order_release)) {
    }
    return made;
  }

  static bool try_use(Workspace& w) { return !w.in_use_.exchange(true, std::memory_order_acquire); }
  static void end_use(Workspace& w) { w.in_use_.store(false, std::memory_order_release); }

  static void release_unused() {
    for (Workspace* w = first_.load(std::memory_order_acquire); w != nullptr; w = w->next_) {
      if (!try_use(*w)) continue;
      w->free_all();
      end_use(*w);
    }
  }

  // The thread ends. Its memory goes back at once.
  static void leave(Workspace& w) {
    w.free_all();
    end_use(w);
    w.has_thread_.store(false, std::memory_order_release);
  }

  static bool in_use(const Workspace& w) { return w.in_use_.load(std::memory_order_relaxed); }

 private:
  static constinit std::atomic<Workspace*> first_;
};
constinit std::atomic<Workspace*> WorkspaceList::first_ = nullptr;

namespace {

void use_mine() {
  while (!WorkspaceList::try_use(*mine.workspace))
    std::this_thread::yield();  // release_memory() is at it
  mine.in_use = true;
}

struct AtThreadEnd {
  bool armed = false;
  ~AtThreadEnd() {
    if (mine.workspace == nullptr) return;
    if (!mine.in_use) use_mine();
    WorkspaceList::leave(*mine.workspace);
    mine.workspace = nullptr;
    mine.in_use = false;
  }
};
thread_local AtThreadEnd at_thread_end;

// In a child of fork() a thread that was releasing this thread's workspace is gone and will never
// give it back.
const int atfork_registered = pthread_atfork(nullptr, nullptr, [] {
  if (mine.workspace != nullptr && !mine.in_use && WorkspaceList::in_use(*mine.workspace))
    mine.workspace = nullptr;
});

}  // namespace

Workspace& Workspace::of_this_thread() {
  if (!mine.in_use) {
    if (mine.workspace == nullptr) {
      mine.workspace = WorkspaceList::add_or_reuse();
      at_thread_end.armed = atfork_registered == 0;
    }
    use_mine();
  }
  return *mine.workspace;
}

void Workspace::grow(Buffer& buffer, std::size_t bytes) {
  kept_bytes.fetch_sub(static_cast<std::int64_t>(buffer.bytes), std::memory_order_relaxed);
  std::free(buffer.data);
  buffer = Buffer();
  // Large ones of huge pages, where the system has them: a panel must not be a page table's worth.
  const bool huge = bytes >= kHugePage / 4;
  const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
  if (posix_memalign(&buffer.data, huge ? kHugePage : 64, rounded) != 0) {
    buffer.data = nullptr;
    throw std::bad_alloc();
  }
  if (huge) madvise(buffer.data, rounded, MADV_HUGEPAGE);
  buffer.bytes = rounded;
  kept_bytes.fetch_add(static_cast<std::int64_t>(rounded), std::memory_order_relaxed);
}

void Workspace::free_all() {
  for (Buffer& buffer : buffers_) {
    kept_bytes.fetch_sub(static_cast<std::int64_t>(buffer.bytes), std::memory_order_relaxed);
    std::free(buffer.data);
    buffer = Buffer();
  }
}

WorkspaceUse::WorkspaceUse() { ++mine.uses; }

WorkspaceUse::~WorkspaceUse() {
  if (--mine.uses != 0 || !mine.in_use) return;
  mine.in_use = false;
  WorkspaceList::end_use(*mine.workspace);
}

std::int64_t memory_limit(int threads) {
  if (threads < 1) {
    throw Error("memory_limit: " + std::to_string(threads) + " threads; expected 1 or more");
  }
  return product_memory_limit(threads);
}

std::int64_t memory_kept() { return kept_bytes.load(std::memory_order_relaxed); }

void release_memory() {
  WorkspaceList::release_unused();
#ifdef __GLIBC__
  malloc_trim(0);  // free() alone may keep it in the heap
#endif
}

}  // namespace matprec
