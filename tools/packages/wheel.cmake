# SPDX-License-Identifier: Apache-2.0
# The programs and libraries in the wheel. Included after all folders, which list what they build.
if(NOT TARGET wheel)
  return()
endif()
get_property(built GLOBAL PROPERTY TWIN_BUILT)
list(APPEND built acl_rt twinrt twinrt-cc twinrt_host twinrt_kernel)
if(TWIN_HAVE_RTL)
  list(APPEND built model_rtl)
endif()
add_dependencies(wheel ${built})
list(TRANSFORM built REPLACE "(.+)" "$<TARGET_FILE_NAME:\\1>\n" OUTPUT_VARIABLE files)
list(JOIN files "" files)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/python/wheel_files.txt CONTENT "${files}")
