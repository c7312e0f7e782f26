# SPDX-License-Identifier: Apache-2.0
# Run by cpack before it makes the packages: what Debian requires besides the prefix, in the folders
# of the components.
cmake_minimum_required(VERSION 3.22)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(source ${here}/../..)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The date of the build, unless it is given: a package of one source should be the same twice.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
else()
  execute_process(COMMAND git -C ${source} log -1 --format=%cD OUTPUT_VARIABLE date
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT date)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  endif()
endif()

# link FOLDER NAME TARGET
function(link folder name target)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${folder}/${name} SYMBOLIC)
endfunction()

set(debug ${CPACK_TEMPORARY_DIRECTORY}/debug)
file(REMOVE_RECURSE ${debug}/opt)

# Debug information of a program or library goes into the debug package, under its build id.
function(split file)
  execute_process(COMMAND readelf -n ${file} OUTPUT_VARIABLE notes
    ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
    message(FATAL_ERROR "cpack: ${file} has no build id: link with -Wl,--build-id")
  endif()
  set(kept ${debug}/usr/lib/debug/.build-id/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.debug)
  cmake_path(GET kept PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  run(objcopy --only-keep-debug ${file} ${kept})
  run(chmod 644 ${kept})
  run(strip --strip-unneeded --remove-section=.comment ${file})
  run(objcopy --add-gnu-debuglink=${kept} ${file})
endfunction()

foreach(component runtime model debug)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(prefix ${root}${CPACK_PACKAGING_INSTALL_PREFIX})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(documents ${root}/usr/share/doc/${package})

  configure_file(${here}/copyright ${documents}/copyright COPYONLY)
  file(WRITE ${documents}/changelog
    "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * See /opt/twinrt/share/doc/twinrt/CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  run(gzip -9nf ${documents}/changelog)
  if(EXISTS ${here}/${package}.lintian-overrides)
    configure_file(${here}/${package}.lintian-overrides
      ${root}/usr/share/lintian/overrides/${package} COPYONLY)
  endif()

  file(GLOB_RECURSE files LIST_DIRECTORIES false ${prefix}/*)
  foreach(file IN LISTS files)
    file(READ ${file} magic LIMIT 20 HEX)
    if(IS_SYMLINK ${file})
    elseif(magic MATCHES "^7f454c46" AND NOT magic MATCHES "0100....$") # ELF, not relocatable
      split(${file})
    elseif(magic MATCHES "^7f454c46" OR file MATCHES "[.]a$")
      run(strip --strip-debug --enable-deterministic-archives ${file})
    endif()
  endforeach()
endforeach()

set(root ${CPACK_TEMPORARY_DIRECTORY}/runtime)
set(prefix ${CPACK_PACKAGING_INSTALL_PREFIX})
foreach(program twinrt twinrt-cc)
  link(${root}/usr/bin ${program} ${prefix}/bin/${program})
  link(${root}/usr/share/bash-completion/completions ${program}
    ${prefix}/share/bash-completion/completions/twinrt)
  link(${root}/usr/share/fish/vendor_completions.d ${program}.fish
    ${prefix}/share/fish/vendor_completions.d/twinrt.fish)
endforeach()
link(${root}/usr/share/zsh/vendor-completions _twinrt ${prefix}/share/zsh/site-functions/_twinrt)
file(GLOB pages ${root}${prefix}/share/man/man1/*.1)
if(NOT pages)
  message(FATAL_ERROR
    "cpack: the man pages are missing: install help2man (./dev setup) and build again")
endif()
file(MAKE_DIRECTORY ${root}/usr/share/man/man1)
foreach(page IN LISTS pages)
  cmake_path(GET page FILENAME name)
  file(RENAME ${page} ${root}/usr/share/man/man1/${name})
  run(gzip -9nf ${root}/usr/share/man/man1/${name})
endforeach()
file(REMOVE_RECURSE ${root}${prefix}/share/man)
