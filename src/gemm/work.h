// How much work is worth a thread.
#ifndef MATPREC_SRC_GEMM_WORK_H_
#define MATPREC_SRC_GEMM_WORK_H_

namespace matprec::gemm {

// Fused multiply-adds below which a second thread costs more than it brings: waking one takes some 10 us,
// in which a core does about this many.
inline constexpr double kWorkPerThread = 5e5;

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_WORK_H_
