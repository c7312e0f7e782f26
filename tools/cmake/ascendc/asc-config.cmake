# SPDX-License-Identifier: Apache-2.0
# find_package(ASC) before project() makes ASC a language of CMake: sources in Ascend C (.asc),
# which twinrt-cc compiles for the model's AI cores. The headers of Ascend C are those of your
# toolkit: ASC_TOOLKIT, or else ASCEND_HOME_PATH of the environment when CMake runs; not needed for
# sources that include none of them.
#   find_package(ASC REQUIRED)
#   project(add LANGUAGES ASC CXX)
#   add_executable(add add.asc)
# Also here: ascendc_library() and its like, as projects use them without find_package
# (ascendc.cmake).
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/ascendc-functions.cmake")
set(ASC_FOUND TRUE)
