# SPDX-License-Identifier: Apache-2.0
#
# Completion of tmplctl's commands, options and values for bash. All are from tmplctl --help.

_tmplctl() {
    local tool=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local help words=
    if [ "$COMP_CWORD" = 1 ]; then
        words="$("$tool" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p') --help --version"
    else
        help=$("$tool" "${COMP_WORDS[1]}" --help 2>/dev/null)
        case $cur in
        -*) words=$(grep -oE '^  (-[a-z0-9], |    )--[a-z-]+' <<<"$help" | sed 's/.* //') ;;
        *)
            # the help of the option in front, in one line; a list of values is "a, b or c"
            [[ $prev != -* ]] || words=$(sed -E 's/^  (-[a-z0-9]), /  \1 /' <<<"$help" |
                awk -v option="$prev" '/^  (    )?-/ { mine = $1 == option || $2 == option }
                                       mine { printf "%s ", $0 }' |
                tr -s ' ' | grep -oE '([a-z]+, )+[a-z]+ or [a-z]+' | tail -n 1 | sed 's/,\| or / /g')
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

# where there is nothing to propose, names of files
complete -o default -F _tmplctl tmplctl
