# SPDX-License-Identifier: Apache-2.0
# Finds twinrt-cc, beside this folder or where CMAKE_ASC_COMPILER says.
get_filename_component(asc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(CMAKE_ASC_COMPILER twinrt-cc HINTS "${asc_prefix}/bin"
  DOC "compiler of sources in Ascend C")
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "language ASC: there is no twinrt-cc in ${asc_prefix}/bin or in PATH; "
    "set CMAKE_ASC_COMPILER")
endif()
set(ASC_TOOLKIT "$ENV{ASCEND_HOME_PATH}" CACHE PATH
  "toolkit with the headers of Ascend C; empty: none")
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
  "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
unset(asc_prefix)
