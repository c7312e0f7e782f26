# SPDX-License-Identifier: Apache-2.0
# Functions of Ascend C's CMake modules, as public projects call them. The libraries contain kernels
# and the functions that launch them.
include_guard(GLOBAL)
get_filename_component(ASC_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(ASC_PREFIX "${ASC_PREFIX}" CACHE INTERNAL "where twinrt is installed")

# ascendc_library(<target> STATIC|SHARED <source>...): a library with the kernels and host code of
# the sources.
function(ascendc_library target type)
  if(NOT type MATCHES "^(STATIC|SHARED)$")
    message(FATAL_ERROR "ascendc_library(${target} ${type} ...): the type must be STATIC or SHARED")
  endif()
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  add_library(${target} ${type} ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PUBLIC "${ASC_PREFIX}/lib64/libacl_rt.so")
  target_include_directories(${target} INTERFACE "${ASC_PREFIX}/include")
endfunction()

# ascendc_fatbin_library(<target> <source>): an object <target>.o for aclrtBinaryLoadFromFile, which
# is installed in fatbin/<target>.
function(ascendc_fatbin_library target)
  list(LENGTH ARGN count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR
      "ascendc_fatbin_library(${target} ...): one source is supported, ${count} are given")
  endif()
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  add_library(${target} MODULE ${ARGN})
  target_compile_options(${target} PRIVATE --kernels-only)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".o")
  install(FILES $<TARGET_FILE:${target}> DESTINATION fatbin/${target})
endfunction()

# ascendc_compile_definitions(<target> PRIVATE|PUBLIC|INTERFACE <definition>...)
function(ascendc_compile_definitions target scope)
  target_compile_definitions(${target} ${scope} ${ARGN})
endfunction()

# ascendc_compile_options(<target> PRIVATE|PUBLIC|INTERFACE <option>...): kernels and host code are
# compiled with the same options.
function(ascendc_compile_options target scope)
  set(options ${ARGN})
  list(REMOVE_ITEM options -forward-options-to-host-compiler)
  target_compile_options(${target} ${scope} ${options})
endfunction()

# ascendc_include_directories(<target> PRIVATE|PUBLIC|INTERFACE <folder>...)
function(ascendc_include_directories target scope)
  target_include_directories(${target} ${scope} ${ARGN})
endfunction()
