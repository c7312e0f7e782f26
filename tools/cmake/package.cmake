# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder makes two Debian packages: twinrt, and twinrt-model, which alone needs SystemC. Everything
# is under /opt/twinrt, so that it never stands in the way of the vendor's own files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME twinrt)
set(CPACK_PACKAGE_CONTACT "twinrt maintainers <maintainers@twinrt.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/twinrt)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime model)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME twinrt)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS twinrt-model)
set(CPACK_DEBIAN_MODEL_PACKAGE_NAME twinrt-model)
set(CPACK_DEBIAN_MODEL_PACKAGE_DEPENDS "twinrt (= ${PROJECT_VERSION})")

# The libraries in the package depend on each other: the search for dependencies must find them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib64)
include(CPack)
