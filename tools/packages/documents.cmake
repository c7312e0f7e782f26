# SPDX-License-Identifier: Apache-2.0
# README, pages, pictures and tables, laid out as in the sources so that their links to each other
# hold; examples and Python tools.
set(documents share/doc/twinrt)
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${documents})
foreach(folder backends bench rtl-stubs runtime sim tools)
  file(GLOB_RECURSE pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.md
    ${folder}/*.svg ${folder}/*.png ${folder}/*.tsv)
  foreach(page IN LISTS pages)
    get_filename_component(place ${page} DIRECTORY)
    install(FILES ${page} DESTINATION ${documents}/${place})
  endforeach()
endforeach()
install(DIRECTORY examples DESTINATION share/twinrt USE_SOURCE_PERMISSIONS PATTERN "__pycache__"
  EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
install(PROGRAMS tools/bench_svg.py tools/board_check.py tools/msprof_print.py tools/timeline_svg.py
  DESTINATION share/twinrt/tools)
install(FILES tools/picture.py DESTINATION share/twinrt/tools)
# The pages' links to examples and tools.
install(CODE [[
  set(documents "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/twinrt")
  file(CREATE_LINK ../../twinrt/examples "${documents}/examples" SYMBOLIC)
  file(GLOB tools RELATIVE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/twinrt/tools"
    "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/twinrt/tools/*.py")
  foreach(tool IN LISTS tools)
    file(CREATE_LINK ../../../twinrt/tools/${tool} "${documents}/tools/${tool}" SYMBOLIC)
  endforeach()
]])
