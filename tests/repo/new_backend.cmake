# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -DTREE=… -DOPTIONS=… -P new_backend.cmake: a backend is three places. In a tree
# of links to the sources, a copy of null gets another name, its line in backends/CMakeLists.txt and
# its file of exceptions; then a conformance suite runs on it.
cmake_minimum_required(VERSION 3.22)
set(name probe)
set(build ${TREE}/build)
separate_arguments(OPTIONS)
set(ENV{CCACHE_BASEDIR} ${TREE})
set(ENV{CCACHE_NOHASHDIR} true)
file(REMOVE_RECURSE ${TREE})

# link(<folder> [<names to leave out>…]): the tree has the entries of the folder, each as a link.
function(link folder)
  set(left_out ${ARGN})
  file(GLOB entries RELATIVE ${SOURCE}/${folder} ${SOURCE}/${folder}/*)
  file(MAKE_DIRECTORY ${TREE}/${folder})
  foreach(entry IN LISTS entries)
    if(NOT entry IN_LIST left_out AND NOT entry MATCHES "^build")
      file(CREATE_LINK ${SOURCE}/${folder}/${entry} ${TREE}/${folder}/${entry} SYMBOLIC)
    endif()
  endforeach()
endfunction()
link(. backends tests)
link(backends CMakeLists.txt)
link(tests conformance)
link(tests/conformance expect)
link(tests/conformance/expect)

# change(<from> <to> <text> <replacement>): the replacement must be possible.
function(change from to text replacement)
  file(READ ${SOURCE}/${from} content)
  string(REPLACE "${text}" "${replacement}" changed "${content}")
  if(changed STREQUAL content)
    message(FATAL_ERROR "${from} does not have \"${text}\"")
  endif()
  file(WRITE ${TREE}/${to} "${changed}")
endfunction()
file(COPY ${SOURCE}/backends/null/ DESTINATION ${TREE}/backends/${name})
change(backends/CMakeLists.txt backends/CMakeLists.txt "\n  null\n" "\n  null\n  ${name}\n")
change(tests/conformance/expect/null.c tests/conformance/expect/${name}.c "TWIN_EXCEPTIONS(null)"
  "TWIN_EXCEPTIONS(${name})")

# run(<what> <command>…)
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
run("it does not configure" ${CMAKE_COMMAND} -S ${TREE} -B ${build} -G Ninja -DTWINRT_SIM=OFF
  -DTWINRT_BENCH=OFF -DTWINRT_PYTHON=OFF ${OPTIONS})
run("it does not build" ${CMAKE_COMMAND} --build ${build} --target backend_${name} init_suite)
run("the suite fails on it" ${CMAKE_CTEST_COMMAND} --test-dir ${build} -R
  "^conformance[.]init[.]${name}$" --output-on-failure)
if(NOT output MATCHES "100% tests passed, 0 tests failed out of 1")
  message(FATAL_ERROR "no suite ran on it:\n${output}")
endif()
file(REMOVE_RECURSE ${TREE})
