# matprec_build_flags: what every target of this project is compiled with, and nothing that is exported.
# Consumers link it PRIVATE. Results must not depend on flags, so those that change arithmetic are fixed here.
add_library(matprec_build_flags INTERFACE)
target_compile_features(matprec_build_flags INTERFACE cxx_std_20)
target_compile_options(matprec_build_flags INTERFACE
  -ffp-contract=off  # a fused multiply-add stands only where the source says so
  -fno-fast-math
  -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
  $<$<BOOL:${MATPREC_WERROR}>:-Werror>
  # g++ 12 drops a conditional mask of the low 16 bits of a float, which is a cut to bfloat16 (-ftree-ter),
  # and the rounding in two neighbouring (double)(float)x (-ftree-slp-vectorize).
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-ter>
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
