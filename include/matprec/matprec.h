// matprec: matrix products whose precision one can choose, see and trust. Includes all of the library
// but the C entries (c_api.h).
//
//   #include <matprec/matprec.h>
//   namespace mp = matprec;
//   mp::Tensor c = mp::matmul(a, b);                       // float32 means float32
//   mp::Tensor d = mp::matmul(a, b, {.precision = "tf32"});  // this call
#ifndef MATPREC_MATPREC_H_
#define MATPREC_MATPREC_H_

#include "matprec/contractions.h"
#include "matprec/convert.h"
#include "matprec/convolution.h"
#include "matprec/derivatives.h"
#include "matprec/dims.h"
#include "matprec/dot_algorithm.h"
#include "matprec/dot_general.h"
#include "matprec/einsum.h"
#include "matprec/element_type.h"
#include "matprec/error.h"
#include "matprec/explain.h"
#include "matprec/packed_operand.h"
#include "matprec/policy.h"
#include "matprec/precision.h"
#include "matprec/runtime.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"
#include "matprec/version.h"

#endif  // MATPREC_MATPREC_H_
