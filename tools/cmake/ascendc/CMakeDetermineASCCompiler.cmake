# SPDX-License-Identifier: Apache-2.0
# Finds twinrt-cc, beside this folder or where CMAKE_ASC_COMPILER says.
get_filename_component(asc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(CMAKE_ASC_COMPILER twinrt-cc HINTS "${asc_prefix}/bin"
  DOC "compiler of sources in Ascend C")
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "language ASC: there is no twinrt-cc in ${asc_prefix}/bin or in PATH; "
    "set CMAKE_ASC_COMPILER")
endif()
# set_env.sh sets ASCEND_HOME_PATH to this folder, which is not a toolkit, and TWINRT_ASCEND_HOME to
# what it was before.
get_filename_component(asc_prefix "${asc_prefix}" REALPATH)
set(asc_toolkit "")
foreach(asc_variable ASCEND_HOME_PATH TWINRT_ASCEND_HOME)
  get_filename_component(asc_home "$ENV{${asc_variable}}" REALPATH)
  if(NOT "$ENV{${asc_variable}}" STREQUAL "" AND NOT asc_home STREQUAL asc_prefix)
    set(asc_toolkit "$ENV{${asc_variable}}")
    break()
  endif()
endforeach()
set(ASC_TOOLKIT "${asc_toolkit}" CACHE PATH "toolkit with the headers of Ascend C; empty: none")
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
  "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
unset(asc_prefix)
unset(asc_home)
unset(asc_toolkit)
unset(asc_variable)
