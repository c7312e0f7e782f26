# SPDX-License-Identifier: Apache-2.0
# What a prefix needs besides its programs and libraries: set_env.sh, the link lib -> lib64, the
# files for find_package and pkg-config. The build tree gets the first two as well, so that it
# serves as a prefix.
include(CMakePackageConfigHelpers)
set(templates ${CMAKE_CURRENT_LIST_DIR})

configure_file(${templates}/set_env.sh ${PROJECT_BINARY_DIR}/set_env.sh COPYONLY)
file(CREATE_LINK lib64 ${PROJECT_BINARY_DIR}/lib SYMBOLIC)
install(FILES ${templates}/set_env.sh DESTINATION .)

# Run scripts of programs read this one, and ask for the version of the package that has our
# headers.
configure_file(${templates}/setenv.bash ${PROJECT_BINARY_DIR}/bin/setenv.bash COPYONLY)
configure_file(${templates}/version.info ${PROJECT_BINARY_DIR}/share/info/runtime/version.info
  COPYONLY)
install(FILES ${templates}/setenv.bash DESTINATION bin)
install(FILES ${templates}/version.info DESTINATION share/info/runtime)

# A prefix that others share may have a lib folder already: it stays as it is.
install(CODE [[
  set(lib "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
  if(NOT EXISTS "${lib}")
    file(CREATE_LINK lib64 "${lib}" SYMBOLIC)
  endif()
]])

# Written by hand, not exported: the prefix can be moved, and no path of this machine gets in.
foreach(name config kernels test test-command test-discover)
  configure_file(${templates}/twinrt-${name}.cmake
    ${PROJECT_BINARY_DIR}/lib64/cmake/twinrt/twinrt-${name}.cmake COPYONLY)
endforeach()
# The language ASC and its package.
foreach(name asc-config.cmake ascendc.cmake ascendc-functions.cmake CMakeASCCompiler.cmake.in
    CMakeASCInformation.cmake CMakeDetermineASCCompiler.cmake CMakeTestASCCompiler.cmake)
  configure_file(${templates}/ascendc/${name} ${PROJECT_BINARY_DIR}/lib64/cmake/asc/${name}
    COPYONLY)
endforeach()
# Scripts of projects look for ascendc.cmake here, below the folder of the CANN package.
configure_file(${templates}/ascendc/tikcpp.cmake
  ${PROJECT_BINARY_DIR}/tikcpp/ascendc_kernel_cmake/ascendc.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/tikcpp/ascendc_kernel_cmake/ascendc.cmake
  DESTINATION tikcpp/ascendc_kernel_cmake)
configure_file(${templates}/twinrt-test-skip.sh
  ${PROJECT_BINARY_DIR}/lib64/cmake/twinrt/twinrt-test-skip.sh COPYONLY)
install(FILES ${templates}/presets/presets.json ${templates}/presets/project.cmake
  DESTINATION share/twinrt/cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lib64/cmake/twinrt/twinrt-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(${templates}/twinrt.pc.in ${PROJECT_BINARY_DIR}/lib64/pkgconfig/twinrt.pc @ONLY)
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib64/cmake ${PROJECT_BINARY_DIR}/lib64/pkgconfig
  DESTINATION lib64
  USE_SOURCE_PERMISSIONS)
