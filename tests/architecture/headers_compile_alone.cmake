# Every public header compiles by itself and twice, without a warning; c_api.h also as C.
#
# cmake -DROOT=project -DCXX=compiler -DEIGEN=folder of Eigen's headers -DWORK=folder -P headers_compile_alone.cmake
cmake_minimum_required(VERSION 3.21)
set(warnings -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror)

function(check header language)
  file(WRITE ${WORK}/alone.txt "#include \"matprec/${header}\"\n#include \"matprec/${header}\"\n")
  execute_process(
    COMMAND ${CXX} ${ARGN} ${warnings} -fsyntax-only -I ${ROOT}/include -isystem ${EIGEN} -x ${language} ${WORK}/alone.txt
    RESULT_VARIABLE result ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${header} as ${language}:\n${output}")
  endif()
endfunction()

file(GLOB headers RELATIVE ${ROOT}/include/matprec ${ROOT}/include/matprec/*.h)
if(NOT headers)
  message(FATAL_ERROR "${ROOT} has no public headers")
endif()
foreach(header IN LISTS headers)
  check(${header} c++ -std=c++20 -pedantic)
endforeach()
check(c_api.h c -std=c99 -pedantic)
