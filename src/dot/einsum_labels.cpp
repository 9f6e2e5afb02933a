#include "src/dot/einsum_labels.h"

#include <algorithm>
#include <string>

#include "src/dot/dot_shape.h"
#include "src/error_text.h"

namespace matprec::contraction {
namespace {

std::string text(std::size_t number) { return std::to_string(number); }
std::string quoted(char letter) { return in_quotes(std::string_view(&letter, 1)); }

std::string name_of(std::size_t operand) { return "operand " + text(operand); }

void check_counts(const Equation& equation, std::span<const TensorView> operands) {
  if (equation.operands.size() == operands.size()) return;
  const bool too_many_terms = equation.operands.size() > operands.size();
  throw equation_error(
      equation.text,
      too_many_terms ? equation.operands[operands.size()].at : equation.operands.back().at,
      "the number of terms is " + text(equation.operands.size()) + ", that of operands " +
          text(operands.size()) + "; there must be one term an operand");
}

// How many dimensions the ellipsis of a term stands for.
std::size_t ellipsis_rank(const Equation& equation, std::size_t operand, const TensorView& view) {
  const Term& term = equation.operands[operand];
  const std::size_t letters = term.symbols.size() - (term.has_ellipsis() ? 1 : 0);
  if (term.has_ellipsis() ? view.rank() >= letters : view.rank() == letters) {
    return view.rank() - letters;
  }
  throw equation_error(equation.text, term.at,
                       name_of(operand) + " has shape " + to_string(view.shape()) + " of rank " +
                           text(view.rank()) + ", but its term has " + text(letters) + " letters" +
                           (term.has_ellipsis() ? " beside the ellipsis"
                                                : "; \"...\" stands for "
                                                  "any further dimensions"));
}

std::int64_t sum_of_strides(std::int64_t a, std::int64_t b) {
  __builtin_add_overflow(a, b, &a);  // strides of any value occur where nothing is read
  return a;
}

// Where a label's size was seen first.
struct Seen {
  std::int64_t size;
  std::size_t operand;
};

class Labeller {
 public:
  Labeller(const Equation& equation, std::span<const TensorView> operands)
      : equation_(equation), operands_(operands) {}

  LabelledOperands run() {
    LabelledOperands result;
    for (std::size_t i = 0; i < operands_.size(); ++i) result.operands.push_back(labelled(i));
    for (Labelled& operand : result.operands) {
      const Labels labels = operand.labels;
      for (const Label label : labels) {
        const std::int64_t size = seen_.at(label).size;
        if (operand.size(label) != size) operand = repeated(operand, label, size);
      }
    }
    for (const auto& [label, seen] : seen_) result.sizes[label] = seen.size;
    result.output = equation_.output ? labels_of(*equation_.output) : implicit_output();
    return result;
  }

 private:
  Labelled labelled(std::size_t operand) {
    const TensorView& view = operands_[operand];
    check_view("einsum", name_of(operand), view);
    std::size_t ellipsis = ellipsis_rank(equation_, operand, view);
    Labels labels;
    Dims shape, strides;
    std::size_t dimension = 0;
    const auto add = [&](Label label, std::size_t at) {
      const std::int64_t size = view.shape()[dimension], stride = view.strides()[dimension];
      ++dimension;
      see(label, size, operand, at);
      const auto twin = std::find(labels.begin(), labels.end(), label);
      if (twin == labels.end()) {
        labels.push_back(label);
        shape.push_back(size);
        strides.push_back(stride);
      } else {
        const auto at_twin = static_cast<std::size_t>(twin - labels.begin());
        if (shape[at_twin] != size) throw diagonal_error(operand, label, shape[at_twin], size, at);
        strides[at_twin] = sum_of_strides(strides[at_twin], stride);
      }
    };
    for (const Symbol& symbol : equation_.operands[operand].symbols) {
      if (symbol.letter != kEllipsis) {
        add(symbol.letter, symbol.at);
        continue;
      }
      ellipsis_rank_ = std::max(ellipsis_rank_, ellipsis);
      for (; ellipsis > 0; --ellipsis) add(-static_cast<Label>(ellipsis), symbol.at);
    }
    return {labels, TensorView(view.data(), view.type(), shape, strides)};
  }

  // Sizes that each fit another operand's, but not one another.
  Error diagonal_error(std::size_t operand, Label label, std::int64_t first, std::int64_t second,
                       std::size_t at) const {
    return equation_error(equation_.text, at,
                          "letter " + quoted(static_cast<char>(label)) + " has sizes " +
                              std::to_string(first) + " and " + std::to_string(second) + " in " +
                              name_of(operand) + " (shape " +
                              to_string(operands_[operand].shape()) +
                              "); a diagonal needs equal sizes");
  }

  void see(Label label, std::int64_t size, std::size_t operand, std::size_t at) {
    const auto [found, is_new] = seen_.try_emplace(label, Seen{size, operand});
    Seen& seen = found->second;
    if (is_new || seen.size == size) return;
    const bool within_operand = seen.operand == operand;  // a diagonal: nothing is repeated
    if (!within_operand && (seen.size == 1 || size == 1)) {
      if (seen.size == 1) seen = {size, operand};
      return;
    }
    const std::string sizes = " has size " + std::to_string(seen.size) + " in " +
                              name_of(seen.operand) + " and size " + std::to_string(size) + " in " +
                              name_of(operand) + " (shapes " +
                              to_string(operands_[seen.operand].shape()) + " and " +
                              to_string(operands_[operand].shape()) + "); ";
    if (is_batch(label)) {
      throw equation_error(equation_.text, at,
                           "dimension " + std::to_string(label) + " of the ellipses" + sizes +
                               "counted from the last, sizes must be equal or 1");
    }
    throw equation_error(equation_.text, at,
                         "letter " + quoted(static_cast<char>(label)) + sizes +
                             (within_operand ? "a diagonal needs equal sizes"
                                             : "sizes of a letter must be equal or 1"));
  }

  Labels labels_of(const Term& term) const {
    Labels labels;
    for (const Symbol& symbol : term.symbols) {
      if (symbol.letter == kEllipsis) {
        add_ellipsis(&labels);
      } else {
        labels.push_back(symbol.letter);
      }
    }
    return labels;
  }

  Labels implicit_output() const {
    std::map<char, int> counts;  // in ASCII order
    for (const Term& term : equation_.operands) {
      for (const Symbol& symbol : term.symbols) ++counts[symbol.letter];
    }
    Labels labels;
    add_ellipsis(&labels);
    for (const auto& [letter, count] : counts) {
      if (letter != kEllipsis && count == 1) labels.push_back(letter);
    }
    return labels;
  }

  void add_ellipsis(Labels* labels) const {
    for (std::size_t i = ellipsis_rank_; i > 0; --i) labels->push_back(-static_cast<Label>(i));
  }

  const Equation& equation_;
  std::span<const TensorView> operands_;
  std::map<Label, Seen> seen_;
  std::size_t ellipsis_rank_ = 0;
};

}  // namespace

LabelledOperands label_operands(const Equation& equation, std::span<const TensorView> operands) {
  check_counts(equation, operands);
  return Labeller(equation, operands).run();
}

}  // namespace matprec::contraction
