# SPDX-License-Identifier: Apache-2.0
# find_package(twinrt) gives twinrt::ascendcl and twinrt::acl_rt. Both are the whole interface; they
# differ in the library name that the program records. twinrt::host is libtwinrt-host.so, which
# carries the clocks of host threads; programs that link with it need no LD_PRELOAD.
# twinrt_add_kernels() builds kernels; twinrt_add_test() and twinrt_discover_tests() run tests under
# `twinrt run --check`.
get_filename_component(twinrt_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(twinrt_INCLUDE_DIRS "${twinrt_ROOT_DIR}/include")
set(twinrt_LIBRARY_DIRS "${twinrt_ROOT_DIR}/lib64")

foreach(twinrt_library acl_rt ascendcl)
  set(twinrt_file "${twinrt_LIBRARY_DIRS}/lib${twinrt_library}.so")
  if(NOT EXISTS "${twinrt_file}")
    set(twinrt_FOUND FALSE)
    set(twinrt_NOT_FOUND_MESSAGE "${twinrt_file} is missing")
    return()
  endif()
  if(NOT TARGET twinrt::${twinrt_library})
    add_library(twinrt::${twinrt_library} SHARED IMPORTED)
    set_target_properties(twinrt::${twinrt_library} PROPERTIES
      IMPORTED_LOCATION "${twinrt_file}"
      IMPORTED_SONAME "lib${twinrt_library}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${twinrt_INCLUDE_DIRS}")
  endif()
endforeach()
# Nothing refers to its names at first, but it has to be loaded.
set(twinrt_file "${twinrt_LIBRARY_DIRS}/libtwinrt-host.so")
if(EXISTS "${twinrt_file}" AND NOT TARGET twinrt::host)
  add_library(twinrt::host INTERFACE IMPORTED)
  set_target_properties(twinrt::host PROPERTIES
    INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed,${twinrt_file},--pop-state")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/twinrt-kernels.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/twinrt-test.cmake")
unset(twinrt_library)
unset(twinrt_file)
