# Packages that the build needs. A missing one stops the configuration with the name under which Debian
# installs it and the switch that does without.

# matprec_require_package(NAME APT_PACKAGE WHAT_FOR [VERSION]): find_package(NAME).
macro(matprec_require_package name apt_package what_for)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR
      "matprec: package ${name} was not found; it is needed for ${what_for}. "
      "On Debian: apt-get install ${apt_package}")
  endif()
endmacro()

# matprec_require_header(VARIABLE HEADER APT_PACKAGE WHAT_FOR): VARIABLE, in the cache, is the folder that
# holds HEADER. Set it beforehand to use headers from elsewhere, as a cross build has to.
function(matprec_require_header variable header apt_package what_for)
  find_path(${variable} ${header})
  if(NOT ${variable})
    message(FATAL_ERROR
      "matprec: header ${header} was not found; it is needed for ${what_for}. "
      "On Debian: apt-get install ${apt_package}; elsewhere: -D${variable}=FOLDER")
  endif()
endfunction()
