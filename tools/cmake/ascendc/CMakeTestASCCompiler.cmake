# SPDX-License-Identifier: Apache-2.0
# What is missing to compile is reported by twinrt-cc with the first source.
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
