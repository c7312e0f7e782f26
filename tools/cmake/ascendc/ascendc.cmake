# SPDX-License-Identifier: Apache-2.0
# include(${ASCENDC_CMAKE_DIR}/ascendc.cmake) after project(), as projects do that were written
# before find_package(ASC): ASCENDC_CMAKE_DIR is this folder.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/ascendc-functions.cmake")
enable_language(ASC)
