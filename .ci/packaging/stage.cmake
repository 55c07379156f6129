# stage.cmake - the files of the packages just before these are made, as Debian wants them.
#
# SPDX-License-Identifier: MIT
#
# Manual pages and changelogs are compressed.  Of the static library there is only the code: no
# debug information, and nothing of the compiler's own.
file(GLOB_RECURSE files LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(file ${files})
    if(file MATCHES "/man/man1/[^/]*[.]1$|/changelog$")
        execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
    elseif(file MATCHES "[.]a$")
        execute_process(COMMAND strip --strip-unneeded --remove-section=.gnu.lto_*
            --remove-section=.gnu.debuglto_* --remove-section=.comment ${file}
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
endforeach()
