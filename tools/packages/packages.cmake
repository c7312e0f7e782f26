# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder makes Debian packages: twinrt, and twinrt-model, which alone needs
# SystemC, each stripped, with the debug information of both in twinrt-dbgsym. Everything is under
# /opt/twinrt, so that it never conflicts with the vendor's files, nor of acl/ in /usr/include,
# which is another project's. Links in /usr make programs, man pages and completion found
# (debian_files.cmake).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME twinrt)
set(CPACK_PACKAGE_VENDOR twinrt)
set(CPACK_PACKAGE_CONTACT "twinrt maintainers <maintainers@twinrt.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/twinrt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime model debug)
set(CPACK_THREADS 0)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# cpack's debug packages require a build id in each object, also in images of kernels, which have
# none.
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE OFF)
install(FILES tools/packages/copyright DESTINATION share/doc/twinrt/debug COMPONENT debug
  EXCLUDE_FROM_ALL)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME twinrt)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "twinrt-model, g++, pkg-config")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "twinrt-dbgsym, python3, cmake, gdb, valgrind")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Programs that use the public ACL interface of Ascend NPUs (aclInit, aclrt*,
the Python module acl) run on it unmodified: on an Atlas board through the
vendor's library, or without one on a cycle-level model of the NPU's task
scheduler, DMA engines and AI cores, which the package twinrt-model has.
With the tools twinrt (run, check, record, replay, bench) and twinrt-cc.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/prerm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_MODEL_PACKAGE_NAME twinrt-model)
set(CPACK_DEBIAN_MODEL_PACKAGE_DEPENDS "twinrt (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_MODEL_DESCRIPTION
  "The device on which programs run where there is no Atlas board: a cycle-level
SystemC model of task scheduler, DMA engines and AI cores, with profiles of
several SoCs, and its blocks as verilated RTL.")

set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME twinrt-dbgsym)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "twinrt (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEBUG_DESCRIPTION
  "Debug information of twinrt and twinrt-model.
For gdb, valgrind and sanitizers: functions and lines of the runtime, its tools
and the model, by build id.")

# The libraries in the package depend on each other: the search for dependencies must find them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib64)
include(CPack)
