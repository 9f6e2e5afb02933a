#include "src/policy/process_default.h"

#include <atomic>
#include <string>

#include "matprec/policy.h"
#include "src/environment.h"

namespace matprec {
namespace detail {

// Each distinct choice is kept once and for ever in a list that only grows at its head. So a reader
// takes request and place together by one load, and nothing is ever freed under it or locked over a
// fork().
struct KeptChoice {
  Choice choice;
  std::string file;  // a copy: the caller's code may be unloaded
  const KeptChoice* next;
};

constinit std::atomic<const KeptChoice*> process_choice_in_force = nullptr;

}  // namespace detail

namespace {

using Kept = detail::KeptChoice;
using detail::process_choice_in_force;

std::atomic<const Kept*> kept_choices = nullptr;

bool is_same(const Kept& kept, const PrecisionRequest& request, SourceLocation where) {
  if (!(kept.choice.request == request) || kept.choice.where.line != where.line) return false;
  if (kept.choice.where.file == nullptr || where.file == nullptr) {
    return kept.choice.where.file == where.file;
  }
  return kept.file == where.file;
}

const Kept* keep(const PrecisionRequest& request, SourceLocation where) {
  const Kept* head = kept_choices.load(std::memory_order_acquire);
  for (const Kept* kept = head; kept != nullptr; kept = kept->next) {
    if (is_same(*kept, request, where)) return kept;
  }
  Kept* const mine = new Kept{{request, where}, where.file == nullptr ? "" : where.file, head};
  if (where.file != nullptr) mine->choice.where.file = mine->file.c_str();
  // Another thread may have put in an equal one meanwhile; two do no harm.
  while (!kept_choices.compare_exchange_weak(mine->next, mine, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
  }
  return mine;
}

}  // namespace

const Choice* process_choice() {
  const Kept* const kept = process_choice_in_force.load(std::memory_order_acquire);
  return kept == nullptr ? nullptr : &kept->choice;
}

void set_default_precision(const PrecisionRequest& request, SourceLocation where) {
  environment();
  check_single(request, "set_default_precision");
  process_choice_in_force.store(request.is_default() ? nullptr : keep(request, where), std::memory_order_release);
}

PrecisionRequest default_precision() {
  environment();
  const Choice* const choice = process_choice();
  return choice == nullptr ? PrecisionRequest() : choice->request;
}

}  // namespace matprec
