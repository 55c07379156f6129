# completion.bash - bash completes the commands and long options of ptscript.
#
# SPDX-License-Identifier: MIT
#
# All names come from the program, by --list-cmds and --list-opts, so a new command or
# option needs nothing here.  Where neither is wanted, bash completes names of files.

_ptscript() {
    # What is typed of the word, as a whole: bash cuts at : and =, which options may have.
    local before=${COMP_LINE:0:COMP_POINT}
    local typed=${before##*[[:space:]]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${1/#\~\//$HOME/} names='' command='' commands i

    commands=$("$program" --list-cmds 2>/dev/null)
    for ((i = 1; i < COMP_CWORD && ${#command} == 0; i++)); do
        [[ " $commands " == *" ${COMP_WORDS[i]} "* ]] && command=${COMP_WORDS[i]}
    done

    if [[ $typed == --* && $typed != *=* ]]; then
        names=$("$program" ${command:+"$command"} --list-opts 2>/dev/null)
    elif [[ $typed != -* && -z $command && $previous != -* ]]; then
        names=$commands
    fi
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$typed")

    # Of a word that was cut, bash wants what comes behind the last cut.
    if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${typed%"${typed##*:}"}"}")
    fi
}

complete -o bashdefault -o default -F _ptscript ptscript
