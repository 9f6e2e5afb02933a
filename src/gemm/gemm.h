// gemm(): a batch of products, from strided operands to strided results, under one algorithm.
//
// Duty: packing, blocking, the order of loops, threads over outputs only. Knows the algorithm table and
// the kernel table; knows nothing of policies, ranks or dimension numbers.
#ifndef MATPREC_SRC_GEMM_GEMM_H_
#define MATPREC_SRC_GEMM_GEMM_H_

#include <cstdint>
#include <string>

#include "src/gemm/epilogue.h"
#include "src/gemm/gemm_problem.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// How a problem will be computed. None of it changes a bit of the result.
struct GemmPlan {
  const kernels::KernelTable* kernels = nullptr;
  enum class Path {
    kTiles,   // in blocks and tiles, as all below says
    kAtOnce,  // small_gemm()
    kVector,  // vector_gemm()
  };
  Path path = Path::kTiles;
  bool swapped = false;        // computes C^T = B^T A^T: vectors run over the rows of C
  // A, of the rows, and B, of the columns, are what lhs and rhs are after the swap.
  bool a_in_place = false;     // A is read where it lies, not packed
  bool b_in_place = false;
  bool prepacked = false;      // B was packed before, whole
  int tile_rows = 0;           // of the tallest tile
  int tile_columns = 0;
  std::int64_t block_steps = 0;    // k-steps packed at a time: a power of two times 128
  std::int64_t block_rows = 0;     // rows of A packed at a time
  std::int64_t block_columns = 0;  // columns of B packed at a time
  int kept_levels = 0;             // of pending block values, in buffers
  bool top_in_output = false;      // those of the highest level wait where the results will be
  std::int64_t super_rows = 0;     // rows whose pending block values are kept at a time
  int row_parts = 1, column_parts = 1;  // a product is cut into this many tasks
  std::int64_t step_parts = 1;  // more: run_step_parts(), each part by a plan of its own
  std::int64_t part_steps = 0;
  int threads = 1;             // that can work on it
  int real_products = 1;       // of which a complex one is made
};

// Whether sums of this type can be stored as they are, in vectors, where the results of the plan's target go.
bool stores_sums(const Target& target, ElementType sum);

// Levels of the binary counter that hold pending values while `blocks` blocks of steps are joined.
int pending_levels(std::int64_t blocks);

// The plan on these kernels with at most `threads` threads.
GemmPlan plan(const GemmProblem& problem, const kernels::KernelTable& kernels, int threads);

// "rows in place, columns packed, tiles 14x32, blocks 112x1024x512 (rows x columns x steps)".
std::string to_string(const GemmPlan& plan);

// Runs the problem. Sets and restores the floating-point environment on every thread that computes.
void gemm(const GemmProblem& problem, const GemmPlan& plan);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_GEMM_H_
