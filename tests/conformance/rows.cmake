# SPDX-License-Identifier: Apache-2.0
# The rows of the catalogue: one test for each line of coverage.tsv, `row.ID`, which reports what
# the suites found; conformance.matrix compares the table of all rows, matrix.tsv, with the results.
set(coverage ${CMAKE_CURRENT_SOURCE_DIR}/coverage.tsv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${coverage})
get_property(runs GLOBAL PROPERTY TWIN_CONFORMANCE_RUNS)

# What ./dev board-check runs.
get_property(suites GLOBAL PROPERTY TWIN_BOARD_SUITES)
list(JOIN suites "\n" suites)
file(WRITE ${PROJECT_BINARY_DIR}/tests/board_suites.txt "${suites}\n")

add_executable(row_result row_result.c)
target_compile_definitions(row_result PRIVATE _GNU_SOURCE)
target_link_libraries(row_result PRIVATE twin_test_support twin_warnings)
set_target_properties(row_result PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)

# Results older than these are not believed.
set(built $<TARGET_FILE:acl_rt>)
foreach(backend IN LISTS TWIN_TEST_BACKENDS)
  list(APPEND built $<TARGET_FILE:backend_${backend}>)
endforeach()
list(TRANSFORM built PREPEND --newer=)

file(STRINGS ${coverage} lines REGEX "^[A-Z]+-[0-9]+b?\t" ENCODING UTF-8)
foreach(line IN LISTS lines)
  string(REPLACE "\t" ";" cells "${line}")
  list(GET cells 0 row)
  list(GET cells 1 title)
  list(GET cells 2 suites)
  if(suites STREQUAL "not covered")
    list(GET cells 3 reason)
    twin_test(row.${row} LABELS conformance row COMMAND row_result ${row} "${title}"
      "--reason=${reason}")
    continue()
  endif()
  string(REPLACE "," ";" suites "${suites}")
  set(programs)
  set(after)
  foreach(suite IN LISTS suites)
    foreach(backend IN LISTS TWIN_TEST_BACKENDS)
      if("conformance.${suite}.${backend}" IN_LIST runs) # else conformance.coverage says so
        list(APPEND programs ${backend}=$<TARGET_FILE:${suite}_suite>)
        list(APPEND after conformance.${suite}.${backend})
      endif()
    endforeach()
  endforeach()
  twin_test(row.${row} LABELS conformance row TIMEOUT 180 COMMAND row_result ${row} "${title}"
    --folder=${TWIN_TEST_RESULTS} ${built} ${programs})
  set_tests_properties(row.${row} PROPERTIES DEPENDS "${after}")
endforeach()

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  twin_test(conformance.row_selftest LABELS conformance
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/row_selftest.py
    $<TARGET_FILE:row_result>)
  twin_test(conformance.coverage LABELS conformance
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_coverage.py)
  set(matrix ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/matrix.py
    --programs ${PROJECT_BINARY_DIR}/tests/bin --results ${TWIN_TEST_RESULTS} --runs ${runs}
    ${built})
  if("sim" IN_LIST TWIN_TEST_BACKENDS AND "null" IN_LIST TWIN_TEST_BACKENDS AND "ascend"
    IN_LIST TWIN_TEST_BACKENDS)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/matrix.tsv)
      twin_test(conformance.matrix LABELS conformance COMMAND ${matrix} TIMEOUT 600)
      set_tests_properties(conformance.matrix PROPERTIES DEPENDS "${runs}")
    endif()
    add_custom_target(matrix COMMAND ${matrix} --write USES_TERMINAL VERBATIM)
    add_dependencies(matrix backend_sim backend_null)
    foreach(run IN LISTS runs)
      string(REGEX REPLACE "^conformance\\.(.+)\\.[a-z]+$" "\\1_suite" program ${run})
      add_dependencies(matrix ${program})
    endforeach()
  endif()
endif()

# Suites that are replayed call every function about memory; under a sanitizer some are left out.
if(Python3_FOUND AND sim IN_LIST TWIN_TEST_BACKENDS AND NOT TWINRT_SANITIZE)
  set(about_memory across allocator attributes image managed memory native pool registered rt_names
    snapshot symbol transfer virtual)
  list(TRANSFORM about_memory PREPEND recorded_ OUTPUT_VARIABLE fixtures)
  list(TRANSFORM about_memory REPLACE "(.+)" "${PROJECT_BINARY_DIR}/tests/recorded/\\1.rec"
    OUTPUT_VARIABLE recordings)
  twin_test(conformance.replayed_functions LABELS conformance sim
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/replayed_functions.py
    ${PROJECT_SOURCE_DIR}/runtime/api/functions.def ${recordings})
  set_tests_properties(conformance.replayed_functions PROPERTIES FIXTURES_REQUIRED "${fixtures}")
endif()
