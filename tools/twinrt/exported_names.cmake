# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT: one quoted name and a comma for each symbol of MAP. Run as a script.
file(STRINGS ${MAP} lines REGEX "^    (acl|rt)[A-Za-z0-9_]+;$")
set(text "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^ +([A-Za-z0-9_]+).*" "    \"\\1\",\n" name "${line}")
  string(APPEND text "${name}")
endforeach()
file(WRITE ${OUTPUT} "${text}")
