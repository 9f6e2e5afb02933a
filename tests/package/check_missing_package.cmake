# A configuration without the package PACKAGE stops with the name of the Debian package to install.
#
# cmake -DPACKAGE=name -DAPT_PACKAGE=name -DDISABLE=cache entry -DSOURCE=project -DWORK=folder
#       -DSETTINGS=file -P check_missing_package.cmake
cmake_minimum_required(VERSION 3.21)
include(${SETTINGS})
file(REMOVE_RECURSE ${WORK})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -D${DISABLE}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
foreach(wanted "matprec: (package|header) ${PACKAGE} was not found" "apt-get install ${APT_PACKAGE}")
  if(result EQUAL 0 OR NOT output MATCHES "${wanted}")
    message(FATAL_ERROR "result ${result}, wanted text \"${wanted}\" in:\n${output}")
  endif()
endforeach()
