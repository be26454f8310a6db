# shellcheck shell=bash
# Completes command lines of the mees programs from their --help.
# Installed as share/bash-completion/completions/PROGRAM; without bash-completion, `source` it.

# Prints section.key= for every key of the configuration file on the command line.
_mees_settings() {
    local word
    for word in "${COMP_WORDS[@]:1}"; do
        if [[ $word == *.toml ]]; then
            "${COMP_WORDS[0]}" "$word" --show-config 2>/dev/null \
                | awk '/^\[[a-z]/ {section = substr($0, 2, length($0) - 2)} / = / {print section "." $1 "="}'
            return
        fi
    done
}

# Completes a value of this KIND: {one,of,these}, a setting, a folder or a file; nothing for other kinds.
_mees_values() { # _mees_values KIND CURRENT
    local words suffix
    case $1 in
        *\{*\})
            words=${1#*\{}
            mapfile -t COMPREPLY < <(compgen -W "${words//[,\}]/ }" -- "$2") ;;
        SECTION.KEY=*)
            mapfile -t COMPREPLY < <(compgen -W "$(_mees_settings)" -- "$2")
            compopt -o nospace 2>/dev/null ;;
        DIR)
            mapfile -t COMPREPLY < <(compgen -d -- "$2")
            compopt -o filenames 2>/dev/null ;;
        FILE* | MAP* | CONFIG* | OUT* | NEW* | PATH)
            suffix=$(grep -o '\.[a-z0-9]*' <<<"$1" | head -n 1)
            mapfile -t COMPREPLY < <({ compgen -d -- "$2"; compgen -f -X "!*$suffix" -- "$2"; } | sort -u)
            compopt -o filenames 2>/dev/null ;;
    esac
}

_mees_complete() { # called by bash: _mees_complete PROGRAM CURRENT PREVIOUS
    local program=${COMP_WORDS[0]} current=$2 previous=$3 help commands line=''
    COMPREPLY=()
    [[ $previous != = ]] || return 0 # the value of a setting
    help=$("$program" --help 2>/dev/null) || return 0
    commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z_]*\) .*/\1/p' <<<"$help")
    if [[ -n $commands && $COMP_CWORD -gt 1 ]]; then
        help=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null) || return 0
    elif [[ -n $commands && $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
        return 0
    fi
    if [[ $previous == -* ]]; then
        line=$(grep -E -m 1 -e "^  (-[a-z],)?$previous( |$)" <<<"$help")
    fi
    if [[ -z $line || ! $line =~ ^\ \ [^\ ]+\ [^\ ]+ || $line == *\ Excludes:* ]]; then
        line=$(sed -n '/^Positionals:/{n;p;}' <<<"$help")
        [[ $current != -* ]] || line=''
    fi
    if [[ -n $line ]]; then
        line=${line#  * }
        _mees_values "${line%% *}" "$current"
    else
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -e '^  [-a-z,]+' <<<"$help" | tr , ' ')" -- "$current")
    fi
}

complete -F _mees_complete mees_adapt mees_bench mees_evaluate mees_inspect mees_master mees_navigate mees_refine mees_replay
