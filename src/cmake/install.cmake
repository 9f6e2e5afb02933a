# Install rules, package configuration for find_package(matprec), and matprec.pc for pkg-config.
# Highway and the test packages are needed to build, not to use: nothing of them is installed or named.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/matprec)

install(TARGETS matprec EXPORT matprec-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/matprec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(EXPORT matprec-targets NAMESPACE matprec:: DESTINATION ${package_dir})
if(TARGET matprec_cli)
  # The installed program finds the library from its own place.
  file(RELATIVE_PATH to_libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(matprec_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  install(TARGETS matprec_cli)
endif()

configure_package_config_file(cmake/matprec-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/matprec-config.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/matprec-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/matprec-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/matprec-config-version.cmake
  DESTINATION ${package_dir})

# The .pc file finds the prefix from its own place, so that an install tree can be moved.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
  set(pc_prefix "\${pcfiledir}/${up_to_prefix}")
endif()
set(pc_libdir "\${prefix}")
cmake_path(APPEND pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(pc_includedir "\${prefix}")
cmake_path(APPEND pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/matprec.pc.in ${CMAKE_CURRENT_BINARY_DIR}/matprec.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/matprec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
