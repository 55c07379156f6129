#compdef ptscript
# completion.zsh - zsh completes the commands and long options of ptscript.
#
# SPDX-License-Identifier: MIT
#
# As for bash, all names come from the program, by --list-cmds and --list-opts.  Where neither
# is wanted, zsh completes names of files.

_ptscript() {
    local program=${(Q)words[1]} command='' word
    local -a commands options
    commands=(${=$($program --list-cmds 2>/dev/null)})
    for word in ${words[2,CURRENT-1]}; do
        if (( ${commands[(Ie)$word]} )); then
            command=$word
            break
        fi
    done
    if [[ $PREFIX == --* && $PREFIX != *=* ]]; then
        options=(${=$($program $command --list-opts 2>/dev/null)})
        compadd -- $options
    elif [[ $PREFIX != -* && -z $command && ${words[CURRENT-1]} != -* ]]; then
        compadd -- $commands
        _files
    else
        _files
    fi
}

_ptscript "$@"
