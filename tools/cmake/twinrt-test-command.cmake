# SPDX-License-Identifier: Apache-2.0
# What twinrt-test.cmake and the script that lists test cases share. The functions read the caller's options, arg_*.
# Lists are joined as text: elements with semicolons stay escaped, and unquoted expansion drops empty ones.

# The names of the tests: one, or one for each seed.
function(twinrt_test_variants out name seeds)
  set(names "${name}")
  if(NOT seeds STREQUAL "")
    list(TRANSFORM seeds PREPEND "${name}.seed_" OUTPUT_VARIABLE names)
  endif()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The command line up to the program. The name of a test with a seed ends with it.
function(twinrt_test_command out name)
  set(command "${arg_TOOL}" run)
  if(NOT arg_NO_CHECK)
    string(REGEX REPLACE "[^A-Za-z0-9_.-]" "_" file "${name}")
    if(NOT file STREQUAL name)
      string(MD5 hash "${name}")
      string(SUBSTRING "${hash}" 0 8 hash)
      string(APPEND file "-${hash}")
    endif()
    list(APPEND command --check "--report=${arg_REPORT_DIRECTORY}/${file}.xml")
  endif()
  if(NOT "${arg_SEEDS}" STREQUAL "" AND name MATCHES "\\.seed_([0-9]+)$")
    list(APPEND command "--seed=${CMAKE_MATCH_1}")
  endif()
  if(arg_TIMEOUT)
    list(APPEND command "--timeout=${arg_TIMEOUT}")
  endif()
  set(${out} "${command};${arg_RUN_OPTIONS};--" PARENT_SCOPE)
endfunction()

# The tool's limit comes first, as it has a report; CTest's is for a tool that hangs.
function(twinrt_test_properties out)
  set(properties "${arg_PROPERTIES}")
  if(arg_TIMEOUT)
    math(EXPR limit "${arg_TIMEOUT} + 30")
    set(properties "TIMEOUT;${limit};${properties}")
  endif()
  set(${out} "${properties}" PARENT_SCOPE)
endfunction()
