# SPDX-License-Identifier: Apache-2.0
# The other file names under which programs expect the runtime. Each defines its names for the link editor alone and
# needs libacl_rt.so, where the dynamic linker finds the functions.
# Why: docs/decisions/0001-library-names.md.

set(TWIN_PUBLIC_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/include)
set(TWIN_NAMES_TEMPLATE ${CMAKE_CURRENT_LIST_DIR}/libraries/names.c.in)

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/exports.map TWIN_API_NAMES REGEX "^ +(acl|twinrt)[A-Za-z0-9_]+;$")
list(TRANSFORM TWIN_API_NAMES REPLACE "^ +([A-Za-z0-9_]+);$" "\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/exports.map)

# twin_name_library(<target> <regex>): lib<target>.so with the names of exports.map that match.
function(twin_name_library target regex)
  set(names ${TWIN_API_NAMES})
  list(FILTER names INCLUDE REGEX "${regex}")
  if(NOT names)
    message(FATAL_ERROR "lib${target}.so: no name in exports.map matches ${regex}")
  endif()
  list(TRANSFORM names REPLACE "(.+)" "NAME(\\1)")
  list(JOIN names "\n" TWIN_NAMES)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/libraries/${target}.c)
  configure_file(${TWIN_NAMES_TEMPLATE} ${source} @ONLY)

  add_library(${target} SHARED ${source})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${TWIN_PUBLIC_INCLUDE}> $<INSTALL_INTERFACE:include>)
  # Nothing in it refers to libacl_rt.so, so the link editor must be told to keep the entry.
  target_link_options(${target} PRIVATE LINKER:--no-as-needed)
  target_link_libraries(${target} PRIVATE acl_rt twin_warnings)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
endfunction()

twin_name_library(acl_prof        "^aclprof")
twin_name_library(acl_tdt_channel "^acltdt.*(FromItem|DataItem|Dataset.*|Channel.*|Tensor)$")
twin_name_library(acl_tdt_queue   "^acltdt.*(Queue.*|Enqueue.*|Dequeue.*|Buf.*)$")
twin_name_library(ascend_dump     "^acl(dump|opSt(art|op)DumpArgs$)")
twin_name_library(ascendcl        "^acl")
twin_name_library(msprofiler      "^aclprof")
twin_name_library(platform        "^aclplatform")
# The target `twinrt` is the command.
twin_name_library(twinrt_library  "^twinrt")
set_target_properties(twinrt_library PROPERTIES OUTPUT_NAME twinrt)

# The build tree has the layout of an installation: programs compile with -I<build>/include.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
foreach(folder acl twinrt)
  file(CREATE_LINK ${TWIN_PUBLIC_INCLUDE}/${folder} ${PROJECT_BINARY_DIR}/include/${folder} SYMBOLIC)
  install(DIRECTORY ${TWIN_PUBLIC_INCLUDE}/${folder} DESTINATION include FILES_MATCHING PATTERN "*.h")
endforeach()
