# An example prints what its page shows, whatever the user's own MATPREC_* settings are.
#
# cmake -DPROGRAM=program -DEXPECTED=file -P compare_output.cmake
cmake_minimum_required(VERSION 3.21)
foreach(name DEFAULT_PRECISION FORCE_PRECISION PLATFORM REQUIRE VERBOSE)
  unset(ENV{MATPREC_${name}})
endforeach()
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE output)
file(READ ${EXPECTED} expected)
if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "ended with ${result}; expected:\n${expected}\nprinted:\n${output}")
endif()
