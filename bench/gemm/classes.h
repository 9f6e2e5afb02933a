// The classes of products. Each function registers its class; a benchmark's name begins with the class's.
#ifndef MATPREC_BENCH_GEMM_CLASSES_H_
#define MATPREC_BENCH_GEMM_CLASSES_H_

namespace matprec::bench {

// float32 by the C entry.
void add_squares();    // square, odd, transposed, small (n = 16..64), tiny (n = 4..13)
void add_batches();    // batch_strided, batch_pointers
void add_thin_ones();  // weights, vector, thin
void add_prepacked();  // prepacked: weights packed before, beside the plain product of this and other libraries

// Other arithmetic, each relative to float32 of the same shape.
void add_algorithms();  // algorithm, bf16_storage, float64

// What a call costs beside arithmetic, and what a second thread brings.
void add_calls();    // call
void add_threads();  // threads

// How all that grows: growth.
void add_growth(bool with_threads);

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_CLASSES_H_
