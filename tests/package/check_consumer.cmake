# Builds the consumer as a user would, runs it, and compares what it prints.
#
# cmake -DWAY=find_package|add_subdirectory|pkg_config -DSHARED=ON|OFF -DWORK=folder -DSOURCE=project
#       -DSETTINGS=file -P check_consumer.cmake
# find_package and pkg_config use the install tree INSTALL_TREE; add_subdirectory makes one there, if given.
cmake_minimum_required(VERSION 3.21)
include(${SETTINGS})  # the compiler and flags of the main build

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\nended with ${result}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(expect_output wanted)
  run(${CMAKE_COMMAND} -E env --unset=MATPREC_DEFAULT_PRECISION --unset=MATPREC_FORCE_PRECISION ${ARGN})
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "expected:\n${wanted}printed:\n${output}")
  endif()
endfunction()

set(cpp_output "F32_F32_F32
fp32 1024.5
tf32 1024
an Error crosses the library's border
")

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

if(WAY STREQUAL "pkg_config")
  find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
  file(GLOB_RECURSE pc_file ${INSTALL_TREE}/*/matprec.pc)
  cmake_path(GET pc_file PARENT_PATH pc_dir)
  set(static_flag)
  if(NOT SHARED)
    set(static_flag --static)
  endif()
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir} ${pkg_config} ${static_flag} --cflags --libs matprec)
  separate_arguments(pc_flags UNIX_COMMAND "${output}")
  cmake_path(GET pc_dir PARENT_PATH lib_dir)
  separate_arguments(main_flags UNIX_COMMAND "${CXX_FLAGS}")
  run(${CXX} ${main_flags} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp -o ${WORK}/consumer ${pc_flags})
  run(${CXX} ${main_flags} -x c ${CMAKE_CURRENT_LIST_DIR}/consumer.c -x none -o ${WORK}/consumer_c ${pc_flags})
  expect_output("${cpp_output}" LD_LIBRARY_PATH=${lib_dir} ${WORK}/consumer)
  expect_output("1024.5\n" LD_LIBRARY_PATH=${lib_dir} ${WORK}/consumer_c)
  return()
endif()

set(install_rules OFF)
if(WAY STREQUAL "add_subdirectory" AND INSTALL_TREE)
  set(install_rules ON)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${WAY} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER} -DBUILD_SHARED_LIBS=${SHARED}
  -DCMAKE_PREFIX_PATH=${INSTALL_TREE} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
  -DMATPREC_SOURCE_DIR=${SOURCE} -DMATPREC_INSTALL=${install_rules} -DWANTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK}/build)
expect_output("${cpp_output}" ${WORK}/build/consumer)
if(WAY STREQUAL "find_package")
  # README shows this file and this output (tests/docs/readme_test.cpp).
  file(READ ${SOURCE}/docs/examples/expected/06_eigen.txt eigen_output)
  expect_output("${eigen_output}" ${WORK}/build/eigen_example)
endif()
if(install_rules)
  file(REMOVE_RECURSE ${INSTALL_TREE})
  run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${INSTALL_TREE})
endif()
