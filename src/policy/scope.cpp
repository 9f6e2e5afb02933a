#include "src/policy/scope.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <utility>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "src/environment.h"

namespace matprec {

// What one thread's scopes said at one time.
struct detail::PolicySnapshotState {
  Choice choice;
  int depth = 0;
  std::vector<Choice> requirements;
};

// What a guard leaves on its thread. The guard and the thread each hold it; a guard that goes, on
// whatever thread and in whatever order, only marks it, and its thread drops it at the next look.
struct detail::ScopeEntry {
  enum class Kind { kPrecision, kRequirement, kPolicy };

  Kind kind = Kind::kPrecision;
  Choice choice;                                        // kPrecision, kRequirement
  std::shared_ptr<const PolicySnapshotState> snapshot;  // kPolicy; nullptr: no scopes
  std::atomic<bool> dropped = false;
};

struct detail::ScopeStack {
  std::vector<std::shared_ptr<ScopeEntry>> entries;  // innermost last
};

// A plain pointer, freed by a pthread key and not by a thread_local destructor: keys come after all
// thread_local objects, whose destructors may still hold guards and multiply.
constinit thread_local detail::ScopeStack* detail::this_threads_stack = nullptr;

namespace {

using detail::PolicySnapshotState;
using detail::ScopeEntry;
using detail::ScopeStack;
using detail::this_threads_stack;
using Kind = ScopeEntry::Kind;

bool is_dropped(const std::shared_ptr<ScopeEntry>& entry) {
  return entry->dropped.load(std::memory_order_acquire);
}

class StackKey {
 public:
  constexpr StackKey() = default;
  // The library is being unloaded or the process ends: no thread may call into it any more.
  ~StackKey() {
    const long key = key_.exchange(kClosed);
    if (key >= 0) pthread_key_delete(static_cast<pthread_key_t>(key));
  }

  // Arranges that `stack` is freed when this thread ends. Where the system has no keys left the
  // stack outlives its thread, which costs some bytes.
  void free_with_thread(ScopeStack* stack) {
    long key = key_.load(std::memory_order_acquire);
    if (key == kUnset) key = create();
    if (key >= 0) pthread_setspecific(static_cast<pthread_key_t>(key), stack);
  }

 private:
  static constexpr long kUnset = -1;
  static constexpr long kClosed = -2;

  static void free_stack(void* stack) {
    this_threads_stack = nullptr;
    delete static_cast<ScopeStack*>(stack);
  }

  long create() {
    pthread_key_t mine;
    if (pthread_key_create(&mine, &free_stack) != 0) return kUnset;
    long known = kUnset;
    if (key_.compare_exchange_strong(known, static_cast<long>(mine))) {
      return static_cast<long>(mine);
    }
    pthread_key_delete(mine);
    return known;
  }

  std::atomic<long> key_ = kUnset;
};

constinit StackKey stack_key;

// Puts the entry on this thread's stack, or throws and leaves nothing.
void push(std::shared_ptr<ScopeEntry> entry) {
  if (this_threads_stack == nullptr) {
    auto stack = std::make_unique<ScopeStack>();
    stack_key.free_with_thread(stack.get());
    this_threads_stack = stack.release();
  }
  // Dropped entries below a living one would pile up under guards that overlap for ever.
  auto& entries = this_threads_stack->entries;
  std::erase_if(entries, is_dropped);
  entries.push_back(std::move(entry));
}

// Calls visit(entry) for this thread's living entries, innermost first, until it returns false or a
// ScopedPolicy's entry has been visited: nothing outside it counts.
template <class Visit>
void for_each_entry(Visit visit) {
  if (this_threads_stack == nullptr) return;
  auto& entries = this_threads_stack->entries;
  while (!entries.empty() && is_dropped(entries.back())) entries.pop_back();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (is_dropped(*entry)) continue;
    if (!visit(**entry) || (*entry)->kind == Kind::kPolicy) return;
  }
}

std::shared_ptr<ScopeEntry> make_entry(Kind kind, const PrecisionRequest& request,
                                       SourceLocation where) {
  auto entry = std::make_shared<ScopeEntry>();
  entry->kind = kind;
  entry->choice = {request, where};
  return entry;
}

void drop(ScopeEntry& entry) { entry.dropped.store(true, std::memory_order_release); }

}  // namespace

const Choice* detail::innermost_choice() {
  // The usual case, for every product comes through here: the newest entry is a living precision
  // scope.
  const auto& entries = this_threads_stack->entries;
  if (!entries.empty() && entries.back()->kind == Kind::kPrecision && !is_dropped(entries.back())) {
    return &entries.back()->choice;
  }
  const Choice* choice = nullptr;
  for_each_entry([&](const ScopeEntry& entry) {
    if (entry.kind == Kind::kPrecision) choice = &entry.choice;
    if (entry.kind == Kind::kPolicy && entry.snapshot != nullptr) choice = &entry.snapshot->choice;
    return choice == nullptr;
  });
  return choice;
}

std::vector<Choice> scope_requirements() {
  std::vector<Choice> requirements;
  for_each_entry([&](const ScopeEntry& entry) {
    if (entry.kind == Kind::kRequirement) requirements.push_back(entry.choice);
    if (entry.kind == Kind::kPolicy && entry.snapshot != nullptr) {
      const auto& outer = entry.snapshot->requirements;
      requirements.insert(requirements.end(), outer.begin(), outer.end());
    }
    return true;
  });
  return requirements;
}

bool has_scope_requirements() {
  bool found = false;
  for_each_entry([&](const ScopeEntry& entry) {
    found = entry.kind == Kind::kRequirement ||
            (entry.kind == Kind::kPolicy && entry.snapshot != nullptr &&
             !entry.snapshot->requirements.empty());
    return !found;
  });
  return found;
}

int scope_depth() {
  environment();
  int depth = 0;
  for_each_entry([&](const ScopeEntry& entry) {
    if (entry.kind == Kind::kPrecision) ++depth;
    if (entry.kind == Kind::kPolicy && entry.snapshot != nullptr) depth += entry.snapshot->depth;
    return true;
  });
  return depth;
}

ScopedPrecision::ScopedPrecision(const PrecisionRequest& request, SourceLocation where) {
  environment();
  check_single(request, "ScopedPrecision");
  entry_ = make_entry(Kind::kPrecision, request, where);
  push(entry_);
}

ScopedPrecision::~ScopedPrecision() { drop(*entry_); }

ScopedRequirement::ScopedRequirement(const PrecisionRequest& least, SourceLocation where) {
  environment();
  check_single(least, "ScopedRequirement");
  if (least.is_default()) {
    throw Error(
        "ScopedRequirement: default requires nothing; name a level or an algorithm, for example "
        "\"fp32\"");
  }
  entry_ = make_entry(Kind::kRequirement, least, where);
  push(entry_);
}

ScopedRequirement::~ScopedRequirement() { drop(*entry_); }

PolicySnapshot::PolicySnapshot() = default;
PolicySnapshot::~PolicySnapshot() = default;
PolicySnapshot::PolicySnapshot(const PolicySnapshot&) = default;
PolicySnapshot& PolicySnapshot::operator=(const PolicySnapshot&) = default;

PolicySnapshot capture_policy() {
  PolicySnapshot snapshot;
  auto state = std::make_shared<PolicySnapshotState>();
  state->depth = scope_depth();
  if (const Choice* choice = scope_choice()) state->choice = *choice;
  state->requirements = scope_requirements();
  snapshot.state_ = std::move(state);
  return snapshot;
}

ScopedPolicy::ScopedPolicy(const PolicySnapshot& snapshot) {
  environment();
  entry_ = std::make_shared<ScopeEntry>();
  entry_->kind = Kind::kPolicy;
  entry_->snapshot = snapshot.state_;
  push(entry_);
}

ScopedPolicy::~ScopedPolicy() { drop(*entry_); }

}  // namespace matprec
