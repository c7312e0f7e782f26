# SPDX-License-Identifier: Apache-2.0
# Read by project() of a project that is configured by one of presets.json.
add_compile_options(${TWINRT_SANITIZER_OPTIONS})
add_link_options(${TWINRT_SANITIZER_OPTIONS})
# What tests of targets run under: add_test() and gtest_discover_tests(), and within --check
# twinrt_add_test() and twinrt_discover_tests().
if(NOT TWINRT_TEST_LAUNCHER)
  set(TWINRT_TEST_LAUNCHER "${TWINRT_PROGRAM_LAUNCHER}")
endif()
if(TWINRT_TEST_LAUNCHER AND CMAKE_VERSION VERSION_LESS 3.29)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${TWINRT_TEST_LAUNCHER}")
elseif(TWINRT_TEST_LAUNCHER)
  set(CMAKE_TEST_LAUNCHER "${TWINRT_TEST_LAUNCHER}")
endif()
