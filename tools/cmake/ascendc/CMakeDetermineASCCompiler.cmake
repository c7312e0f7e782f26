# SPDX-License-Identifier: Apache-2.0
# Finds twinrt-cc, beside this folder or where CMAKE_ASC_COMPILER says.
get_filename_component(asc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(CMAKE_ASC_COMPILER twinrt-cc HINTS "${asc_prefix}/bin"
  DOC "compiler of sources in Ascend C")
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "language ASC: there is no twinrt-cc in ${asc_prefix}/bin or in PATH; "
    "set CMAKE_ASC_COMPILER")
endif()
# set_env.sh names this folder, which is not a toolkit.
get_filename_component(asc_home "$ENV{ASCEND_HOME_PATH}" REALPATH)
get_filename_component(asc_prefix "${asc_prefix}" REALPATH)
if("$ENV{ASCEND_HOME_PATH}" STREQUAL "" OR asc_home STREQUAL asc_prefix)
  set(asc_home "")
else()
  set(asc_home "$ENV{ASCEND_HOME_PATH}")
endif()
set(ASC_TOOLKIT "${asc_home}" CACHE PATH "toolkit with the headers of Ascend C; empty: none")
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
  "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
unset(asc_prefix)
unset(asc_home)
