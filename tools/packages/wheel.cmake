# SPDX-License-Identifier: Apache-2.0
# What the wheel contains besides the Python module. Included after all folders, as the plug-ins
# come from the list in backends/CMakeLists.txt.
if(NOT TARGET wheel)
  return()
endif()
get_property(built GLOBAL PROPERTY TWIN_PLUGINS)
list(APPEND built acl_prof acl_rt acl_tdt_channel acl_tdt_queue ascend_dump ascendcl msprofiler
  platform twinrt twinrt-cc twinrt_host twinrt_kernel twinrt_library)
if(TWIN_HAVE_RTL)
  list(APPEND built model_rtl)
endif()
add_dependencies(wheel ${built})
# The names of their files: a build folder may also have files of an earlier build.
list(TRANSFORM built REPLACE "(.+)" "$<TARGET_FILE_NAME:\\1>\n" OUTPUT_VARIABLE files)
list(JOIN files "" files)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/python/wheel_files.txt CONTENT "${files}")
