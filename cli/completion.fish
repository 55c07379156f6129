# completion.fish - fish completes the commands and long options of ptscript.
#
# SPDX-License-Identifier: MIT
#
# As for bash, all names come from the program, by --list-cmds and --list-opts.  Where neither
# is wanted, fish completes names of files.

# The command that is named on the line so far, or nothing.
function __ptscript_command
    set -l words (commandline -opc)
    set -l commands (string split -n ' ' -- ($words[1] --list-cmds 2>/dev/null))
    for word in $words[2..-1]
        if contains -- $word $commands
            echo $word
            return 0
        end
    end
    return 1
end

function __ptscript_commands
    set -l words (commandline -opc)
    string split -n ' ' -- ($words[1] --list-cmds 2>/dev/null)
end

function __ptscript_options
    set -l words (commandline -opc)
    string split -n ' ' -- ($words[1] (__ptscript_command) --list-opts 2>/dev/null)
end

# Behind an option a value may be wanted, which is no command.
function __ptscript_wants_command
    not __ptscript_command >/dev/null
    and not string match -q -- '-*' (commandline -opc)[-1]
end

complete -c ptscript -n __ptscript_wants_command -a '(__ptscript_commands)'
complete -c ptscript -n "string match -q -- '--*' (commandline -ct)" -a '(__ptscript_options)'
