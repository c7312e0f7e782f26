# SPDX-License-Identifier: Apache-2.0
# The other file names under which programs expect the runtime. Each defines its names for the link
# editor alone and needs libacl_rt.so, where the dynamic linker finds the functions.
# Why: docs/decisions/0001-library-names.md.

set(TWIN_PUBLIC_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/include)
set(TWIN_NAMES_TEMPLATE ${CMAKE_CURRENT_LIST_DIR}/libraries/names.c.in)

# twin_name_library(<target> <regex>): lib<target>.so with the public functions that match.
function(twin_name_library target regex)
  set(names ${TWIN_API_NAMES})
  list(FILTER names INCLUDE REGEX "${regex}")
  if(NOT names)
    message(FATAL_ERROR "lib${target}.so: no public function matches ${regex}")
  endif()
  list(TRANSFORM names REPLACE "(.+)" "NAME(\\1)")
  list(JOIN names "\n" TWIN_NAMES)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/libraries/${target}.c)
  configure_file(${TWIN_NAMES_TEMPLATE} ${source} @ONLY)

  add_library(${target} SHARED ${source})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${TWIN_PUBLIC_INCLUDE}> $<INSTALL_INTERFACE:include>)
  # Nothing in it refers to libacl_rt.so, so the link editor needs an option to keep the entry.
  target_link_options(${target} PRIVATE LINKER:--no-as-needed)
  target_link_libraries(${target} PRIVATE acl_rt twin_warnings)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
  set_property(GLOBAL APPEND PROPERTY TWIN_BUILT ${target})
endfunction()

twin_name_library(acl_prof        "^aclprof")
twin_name_library(acl_tdt_channel "^acltdt.*(FromItem|DataItem|Dataset.*|Channel.*|Tensor)$")
twin_name_library(acl_tdt_queue   "^acltdt.*(Queue.*|Enqueue.*|Dequeue.*|Buf.*)$")
twin_name_library(ascend_dump     "^acl(dump|opSt(art|op)DumpArgs$)")
twin_name_library(ascendcl        "^(acl|rt)")
twin_name_library(msprofiler      "^aclprof")
twin_name_library(platform        "^aclplatform")
# The target `twinrt` is the command.
twin_name_library(twinrt_library  "^twinrt")
set_target_properties(twinrt_library PROPERTIES OUTPUT_NAME twinrt)

# Names of the vendor's that programs link without using what is in them; they are empty
# here. A link to libascendcl.so makes the program record that name, so on a board these ones are
# left to the toolkit's libraries.
set(TWIN_LINKED_NAMES acl_op_compiler acl_rt_impl profapi runtime)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib64)
foreach(name IN LISTS TWIN_LINKED_NAMES)
  file(CREATE_LINK libascendcl.so ${PROJECT_BINARY_DIR}/lib64/lib${name}.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/lib64/lib${name}.so DESTINATION lib64)
endforeach()

# twin_link_folder(<folder> <name>...): lib64/<folder> with links to libraries of lib64.
function(twin_link_folder folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib64/${folder})
  foreach(name IN LISTS ARGN)
    file(CREATE_LINK ../lib${name}.so ${PROJECT_BINARY_DIR}/lib64/${folder}/lib${name}.so SYMBOLIC)
  endforeach()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lib64/${folder} DESTINATION lib64)
endfunction()

# Where build files look for what programs are linked with.
set(names acl_prof acl_rt acl_tdt_channel acl_tdt_queue ascendcl msprofiler)
twin_link_folder(stub ${names} ascend_dump platform ${TWIN_LINKED_NAMES})
# What set_env.sh puts before a toolkit's libraries: all names but those that these need themselves.
twin_link_folder(with_toolkit ${names} twinrt twinrt-host)

# Folders of older toolkits, which build files name still.
foreach(folder acllib fwkacllib runtime)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  foreach(name include lib64)
    file(CREATE_LINK ../${name} ${PROJECT_BINARY_DIR}/${folder}/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/${folder}/${name} DESTINATION ${folder})
  endforeach()
endforeach()

# The build tree has the layout of an installation: programs compile with -I<build>/include.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
foreach(folder acl twinrt)
  file(CREATE_LINK ${TWIN_PUBLIC_INCLUDE}/${folder} ${PROJECT_BINARY_DIR}/include/${folder}
    SYMBOLIC)
  install(DIRECTORY ${TWIN_PUBLIC_INCLUDE}/${folder} DESTINATION include FILES_MATCHING
    PATTERN "*.h")
endforeach()

# Names of the vendor's runtime layer, which a library of the vendor's must find here: for
# backends/ascend.
set(names ${TWIN_API_NAMES})
list(FILTER names INCLUDE REGEX "^rt")
list(TRANSFORM names REPLACE "(.+)" "\"\\1\",")
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/rt_names.inc CONTENT "${names}\n" @ONLY)
