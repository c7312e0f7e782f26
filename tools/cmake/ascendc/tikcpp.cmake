# SPDX-License-Identifier: Apache-2.0
# tikcpp/ascendc_kernel_cmake/ascendc.cmake of the folder where twinrt is installed.
include("${CMAKE_CURRENT_LIST_DIR}/../../lib64/cmake/asc/ascendc.cmake")
