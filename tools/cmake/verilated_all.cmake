# SPDX-License-Identifier: Apache-2.0
# Gathers what Verilator wrote into one file, whose name is known beforehand: -DFOLDER=… -DPREFIX=….
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/${PREFIX}*.cpp)
list(SORT sources)
set(text "")
foreach(source IN LISTS sources)
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${FOLDER}/${PREFIX}__ALL.cpp "${text}")
