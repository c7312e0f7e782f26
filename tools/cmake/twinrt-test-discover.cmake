# SPDX-License-Identifier: Apache-2.0
# Run by the build of a GoogleTest program: cmake -DPROGRAM=<file> -DBASE=<beginning of file names>
# -P <this> Writes <BASE>_tests.cmake, which CTest reads, from what the program lists.
cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/twinrt-test-command.cmake")
include("${BASE}_options.cmake")

execute_process(
  COMMAND "${arg_TOOL}" run -- "${PROGRAM}" --gtest_list_tests ${arg_EXTRA_ARGS}
  WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}" TIMEOUT ${arg_DISCOVERY_TIMEOUT}
  OUTPUT_VARIABLE listed ERROR_VARIABLE messages RESULT_VARIABLE status)
if(status MATCHES "timeout")
  string(APPEND messages
    "more than ${arg_DISCOVERY_TIMEOUT} seconds; a larger limit: DISCOVERY_TIMEOUT\n")
endif()
if(NOT status STREQUAL "0")
  file(REMOVE "${BASE}_tests.cmake")
  message(FATAL_ERROR
    "${PROGRAM} --gtest_list_tests ended with ${status}; expected 0:\n${listed}${messages}")
endif()

set(text "")
# Adds `words` to the text as one command, each word literal.
function(add_command name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "")
  set(line "${name}(")
  foreach(word IN LISTS arg_UNPARSED_ARGUMENTS)
    string(APPEND line " [==[${word}]==]")
  endforeach()
  set(text "${text}${line})\n" PARENT_SCOPE)
endfunction()

# Comments may have anything; brackets and semicolons would be taken for lists.
string(REGEX REPLACE "[ \t]*#[^\n]*" "" listed "${listed}")
string(REGEX REPLACE "[ \t\r]*\n" ";" lines "${listed}")
set(suite "")
set(count 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^  ([A-Za-z0-9_/]+)$" AND NOT suite STREQUAL "")
    set(case "${suite}${CMAKE_MATCH_1}")
    string(REGEX REPLACE "(^|[./])DISABLED_" "\\1" shown "${case}")
    twinrt_test_variants(variants "${arg_TEST_PREFIX}${shown}" "${arg_SEEDS}")
    foreach(variant IN LISTS variants)
      twinrt_test_command(command "${variant}")
      twinrt_test_properties(properties)
      add_command(add_test "${variant}" "${CMAKE_CURRENT_LIST_DIR}/twinrt-test-skip.sh" ${command}
        "${PROGRAM}" "--gtest_filter=${case}"
        --gtest_also_run_disabled_tests ${arg_EXTRA_ARGS})
      if(NOT shown STREQUAL case)
        set(properties "DISABLED;TRUE;${properties}")
      endif()
      add_command(set_tests_properties "${variant}" PROPERTIES
        WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}"
        SKIP_RETURN_CODE 77 ${properties})
    endforeach()
    math(EXPR count "${count} + 1")
  elseif(line MATCHES "^([A-Za-z0-9_/]+[.])$")
    set(suite "${CMAKE_MATCH_1}")
  endif()
endforeach()
if(count EQUAL 0)
  file(REMOVE "${BASE}_tests.cmake")
  message(FATAL_ERROR
    "${PROGRAM} --gtest_list_tests lists no test case; expected a program of GoogleTest with cases:\n${listed}")
endif()
file(WRITE "${BASE}_tests.cmake" "${text}")
