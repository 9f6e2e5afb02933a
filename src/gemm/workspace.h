// The scratch memory of products, by the name that they know it by.
#ifndef MATPREC_SRC_GEMM_WORKSPACE_H_
#define MATPREC_SRC_GEMM_WORKSPACE_H_

#include "src/runtime/workspace.h"

namespace matprec::gemm {

using matprec::Workspace;

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_WORKSPACE_H_
