# packages.cmake - what is installed belongs to one of four Debian packages (cpack -G DEB).
#
# SPDX-License-Identifier: MIT
#
#     ptscript         the programs, manual pages, completions    needs no libptscript0
#     ptscript-python  what runs scripts in Python         Python is needed by this one only
#     libptscript0     the shared library
#     libptscript-dev  headers, the static library, words for pkg-config and CMake
#
# make deb configures for /usr, as the folder of libraries depends on that.

set(CPACK_GENERATOR DEB)
set(packaged program library development)
if(PYTHON_FOUND)
    list(APPEND packaged python)
endif()
set(CPACK_COMPONENTS_ALL ${packaged})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_NAME ptscript)
set(CPACK_PACKAGE_VENDOR ptscript)
set(CPACK_PACKAGE_CONTACT "The ptscript developers <ptscript@users.noreply.github.com>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/.ci/packaging/stage.cmake)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# Loaded when they are asked for, so that dpkg-shlibdeps does not see them.
set(loaded "libcapstone4")
if(SQLITE_FOUND)
    string(APPEND loaded ", libsqlite3-0")
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${loaded}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${loaded}")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ptscript)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "decodes Intel Processor Trace in perf.data files
ptscript reads recordings of perf record with Intel PT and prints what ran,
with the options and in the format of perf script.  It lists events and build
ids, writes recordings with samples in place of the trace, and tells what is
wrong with a recording.  ptrecord records programs as Intel PT would, without
the hardware.")

# libpq5 is for export --to postgres only.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ptscript-python, libpq5")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libpq5")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME ptscript-python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "ptscript (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "decodes Intel Processor Trace (scripts in Python)
ptscript reads recordings of perf record with Intel PT and prints what ran.

With this package it runs scripts in Python that were written for perf script:
those of perf itself, such as intel-pt-events.py, and one's own.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libptscript0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "decodes Intel Processor Trace (shared library)
libptscript reads perf.data files with Intel PT: samples as data in batches,
records, packets, and the text that perf script prints.

This package has the shared library.")

configure_file(.ci/packaging/shlibs.in shlibs @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/.ci/packaging/triggers ${CMAKE_BINARY_DIR}/shlibs)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libptscript-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libptscript0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libelf-dev, libdw-dev, libunwind-dev, \
libzstd-dev, liblzma-dev, zlib1g-dev, libbz2-dev, libiberty-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "decodes Intel Processor Trace (development files)
libptscript reads perf.data files with Intel PT: samples as data in batches,
records, packets, and the text that perf script prints.

This package has the headers, the static library, examples, and what pkg-config
and CMake need.")

# What Debian wants in /usr/share/doc of each package.
configure_file(.ci/packaging/changelog.in changelog @ONLY)
foreach(part ${packaged})
    string(TOUPPER ${part} upper)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES .ci/packaging/copyright DESTINATION ${doc} COMPONENT ${part})
    install(FILES ${CMAKE_BINARY_DIR}/changelog DESTINATION ${doc} COMPONENT ${part})
endforeach()

include(CPack)
