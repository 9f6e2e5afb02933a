# Draws the pictures of the documentation anew, each with the data behind it. pictures.txt holds a line
# "name: arguments of matprec compare" a picture; files are those of docs/examples/data.
#
# cmake -DPROGRAM=matprec -P draw.cmake
cmake_minimum_required(VERSION 3.21)
foreach(name DEFAULT_PRECISION FORCE_PRECISION PLATFORM REQUIRE VERBOSE)
  unset(ENV{MATPREC_${name}})
endforeach()
set(here ${CMAKE_CURRENT_LIST_DIR})
file(STRINGS ${here}/pictures.txt lines)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_]+): (.*)$" _ "${line}")
  set(name ${CMAKE_MATCH_1})
  separate_arguments(arguments UNIX_COMMAND "${CMAKE_MATCH_2}")
  execute_process(
    COMMAND ${PROGRAM} compare ${arguments} --reproducible --json --plot ${here}/${name}.svg
    WORKING_DIRECTORY ${here}/../examples/data
    RESULT_VARIABLE result OUTPUT_VARIABLE data ERROR_VARIABLE problem)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: ${problem}")
  endif()
  file(WRITE ${here}/${name}.json "${data}")
  message(STATUS "docs/pictures/${name}.svg and .json")
endforeach()
