# SPDX-License-Identifier: Apache-2.0
# twinrt_add_kernels(<target> SOURCES <file>... [OUTPUT <file>] [INCLUDE_DIRECTORIES <folder>...]
#                    [DEFINITIONS <name[=value]>...] [OPTIONS <option>...])
# Compiles kernels against twinrt/kernel.h into an object for aclrtBinaryLoadFromFile, with the
# project's compilers. The object is <target>.o in the current build folder unless OUTPUT says else,
# and the target's property TWINRT_OBJECT.
function(twinrt_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT"
    "SOURCES;INCLUDE_DIRECTORIES;DEFINITIONS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR
      "twinrt_add_kernels(${target} SOURCES <file>...): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT ${target}.o)
  endif()
  get_filename_component(object "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  # Inside the tree of twinrt itself the tool is a target.
  if(TARGET twinrt-cc)
    set(tool $<TARGET_FILE:twinrt-cc>)
    set(needs twinrt-cc twinrt_kernel)
  else()
    set(tool "${twinrt_ROOT_DIR}/bin/twinrt-cc")
    set(needs "${tool}" "${twinrt_ROOT_DIR}/lib64/libtwinrt_kernel.a")
  endif()
  set(options ${arg_OPTIONS})
  if(CMAKE_C_COMPILER)
    list(APPEND options "--cc=${CMAKE_C_COMPILER}")
  endif()
  if(CMAKE_CXX_COMPILER)
    list(APPEND options "--cxx=${CMAKE_CXX_COMPILER}")
  endif()
  foreach(folder IN LISTS arg_INCLUDE_DIRECTORIES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND options "-I${folder}")
  endforeach()
  foreach(definition IN LISTS arg_DEFINITIONS)
    list(APPEND options "-D${definition}")
  endforeach()
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  add_custom_command(OUTPUT "${object}"
    COMMAND "${tool}" ${options} -MF "${object}.d" -o "${object}" ${sources}
    DEPENDS ${sources} ${needs}
    DEPFILE "${object}.d"
    COMMENT "Building kernels ${arg_OUTPUT}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${object}")
  set_target_properties(${target} PROPERTIES TWINRT_OBJECT "${object}")
endfunction()
