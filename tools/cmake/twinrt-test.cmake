# SPDX-License-Identifier: Apache-2.0
# Tests that run on the model, each by itself under `twinrt run --check`.
#
# twinrt_add_test(NAME <name> COMMAND <target or program> [<argument>...] [<option>...])
#   Adds a test. A target that exists already becomes the path of its program; a plain name is
#   looked up in PATH.
#
# twinrt_discover_tests(<target> [TEST_PREFIX <prefix>] [EXTRA_ARGS <argument>...] [<option>...])
#   Adds a test for each test case of a GoogleTest program. They are listed when the program has
#   been built. DISABLED_ ones are listed as disabled. A case that GTEST_SKIP() ends is shown as
#   skipped, unless --check found something. DISCOVERY_TIMEOUT <seconds>  how long the listing may
#   take: whole seconds, at least 1; default: 60
#
# Options of both:
#   RUN_OPTIONS <option>...      options of `twinrt run`, such as --devices=2 or --suppressions=FILE
#   SEEDS <number>...            a test for each seed, <name>.seed_<number>: `twinrt run --seed`
#   TIMEOUT <seconds>            whole seconds of real time, at least 1: `twinrt run --timeout`,
#   whose report names the threads that hang
#   NO_CHECK                     without --check, and without a report
#   REPORT_DIRECTORY <folder>    where the JUnit reports of the findings go, <name>.xml; default:
#   twinrt-reports in the top
#                                build folder. Characters other than letters, digits, "_", "." and
#                                "-" become "_", and such a name gets a short hash
#   WORKING_DIRECTORY <folder>   default: the current build folder
#   PROPERTIES <name> <value>... properties of the tests, as for set_tests_properties. Those that
#   would hide a finding are
#                                refused, unless NO_CHECK is given: SKIP_REGULAR_EXPRESSION and
#                                WILL_FAIL
include("${CMAKE_CURRENT_LIST_DIR}/twinrt-test-command.cmake")

# Checks the options that both have, and gives those that are missing their defaults. A macro: it
# sets them for its caller.
macro(twinrt_test_options what)
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "${what}: unknown argument or missing value: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(number IN LISTS arg_SEEDS)
    if(NOT number MATCHES "^[0-9]+$")
      message(FATAL_ERROR "${what}: SEEDS has \"${number}\"; expected whole numbers")
    endif()
  endforeach()
  foreach(limit TIMEOUT DISCOVERY_TIMEOUT)
    if(DEFINED arg_${limit} AND NOT arg_${limit} MATCHES "^[1-9][0-9]*$")
      message(FATAL_ERROR
        "${what}: ${limit} is \"${arg_${limit}}\"; expected whole seconds, at least 1")
    endif()
  endforeach()
  if(NOT arg_NO_CHECK)
    foreach(pair "SKIP_REGULAR_EXPRESSION:SKIP_RETURN_CODE" "WILL_FAIL:PASS_REGULAR_EXPRESSION")
      string(REGEX MATCH "^[^:]+" property "${pair}")
      string(REGEX REPLACE ".*:" "" instead "${pair}")
      if(property IN_LIST arg_PROPERTIES)
        message(FATAL_ERROR
          "${what}: PROPERTIES has ${property}, with which CTest hides findings; use ${instead}, or NO_CHECK")
      endif()
    endforeach()
  endif()
  if(NOT arg_REPORT_DIRECTORY)
    set(arg_REPORT_DIRECTORY "${CMAKE_BINARY_DIR}/twinrt-reports")
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(arg_REPORT_DIRECTORY "${arg_REPORT_DIRECTORY}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  get_filename_component(arg_WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(NOT arg_NO_CHECK)
    file(MAKE_DIRECTORY "${arg_REPORT_DIRECTORY}")
  endif()
  set(arg_LAUNCHER "${TWINRT_PROGRAM_LAUNCHER}") # valgrind, by a preset of the installation
  get_filename_component(arg_TOOL "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin/twinrt" ABSOLUTE)
endmacro()

function(twinrt_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NO_CHECK"
    "NAME;TIMEOUT;REPORT_DIRECTORY;WORKING_DIRECTORY"
    "COMMAND;RUN_OPTIONS;SEEDS;PROPERTIES")
  twinrt_test_options("twinrt_add_test(NAME ${arg_NAME})")
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "twinrt_add_test(NAME ${arg_NAME}): missing argument: NAME or COMMAND")
  endif()
  set(program "")
  set(arguments "")
  foreach(word IN LISTS arg_COMMAND)
    if(program STREQUAL "")
      set(program "${word}")
    else()
      string(REPLACE ";" "\\;" word "${word}")
      set(arguments "${arguments};${word}")
    endif()
  endforeach()
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  twinrt_test_variants(variants "${arg_NAME}" "${arg_SEEDS}")
  foreach(variant IN LISTS variants)
    twinrt_test_command(command "${variant}")
    twinrt_test_properties(properties)
    add_test(NAME "${variant}" COMMAND ${command} "${program}" ${arguments}
      WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
    if(properties)
      set_tests_properties("${variant}" PROPERTIES ${properties})
    endif()
  endforeach()
endfunction()

function(twinrt_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_CHECK"
    "TEST_PREFIX;DISCOVERY_TIMEOUT;TIMEOUT;REPORT_DIRECTORY;WORKING_DIRECTORY"
    "EXTRA_ARGS;RUN_OPTIONS;SEEDS;PROPERTIES")
  twinrt_test_options("twinrt_discover_tests(${target})")
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "twinrt_discover_tests(${target}): not a target; expected a program of add_executable()")
  endif()
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    message(FATAL_ERROR
      "twinrt_discover_tests(${target}): ${CMAKE_GENERATOR} builds several configurations; "
      "use a generator that builds one, such as Ninja")
  endif()
  if(NOT arg_DISCOVERY_TIMEOUT)
    set(arg_DISCOVERY_TIMEOUT 60)
  endif()
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}_twinrt")
  # The script that lists the cases reads its options from a file, without a shell.
  set(text "")
  foreach(name TOOL LAUNCHER TEST_PREFIX EXTRA_ARGS RUN_OPTIONS SEEDS TIMEOUT
    DISCOVERY_TIMEOUT NO_CHECK REPORT_DIRECTORY WORKING_DIRECTORY PROPERTIES)
    if(NOT "${arg_${name}}" STREQUAL "")
      string(APPEND text "set(arg_${name} [==[${arg_${name}}]==])\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${base}_options.cmake" CONTENT "@text@" @ONLY)
  file(CONFIGURE OUTPUT "${base}_include.cmake" @ONLY CONTENT "if(EXISTS [==[@base@_tests.cmake]==])
  include([==[@base@_tests.cmake]==])
else()
  add_test(@target@_NOT_BUILT @target@_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}_include.cmake")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${base}_options.cmake")
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS "${base}_tests.cmake"
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DBASE=${base}"
      -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/twinrt-test-discover.cmake"
    VERBATIM)
endfunction()
