# SPDX-License-Identifier: Apache-2.0
#
# Completion of tmplctl's commands, options and values for bash. Commands, options and lists of values
# are from tmplctl --help, sites from tmplctl stats.

# What a store's URI may be: TMPL_STORE, the schemes, and directories behind lmdb:
_tmplctl_stores() {
    printf '%s\n' "$TMPL_STORE" lmdb: redis:// rediss:// redis+unix:/// redis+sentinel:// redis+cluster://
    [[ $1 != lmdb:* ]] || compgen -d -P lmdb: -- "${1#lmdb:}"
}

# The sites of the store that the command line or TMPL_STORE names. A server that is down must not
# keep the user waiting.
_tmplctl_sites() {
    local store=$TMPL_STORE i
    for ((i = 1; i + 1 < ${#line[@]}; i++)); do
        [[ ${line[i]} != --store && ${line[i]} != -s ]] || store=${line[i + 1]}
    done
    [[ -z $store ]] || timeout 2 "$tool" stats --store "$store" 2>/dev/null | sed -n '2,$s/ .*//p'
}

# The help of an option in one line.
_tmplctl_help_of() {
    sed -E 's/^  (-[a-z0-9]), /  \1 /' <<<"$help" |
        awk -v option="$1" '/^  (    )?-/ { mine = $1 == option || $2 == option } mine { printf "%s ", $0 }' |
        tr -s ' '
}

_tmplctl() {
    local tool=${COMP_WORDS[0]} help words= line=() word joined=
    # bash parts words at colons: lmdb:/var is three
    for word in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
        if [[ $word == :* || $joined ]] && ((${#line[@]} > 1)); then
            line[-1]+=$word
        else
            line+=("$word")
        fi
        joined=
        [[ $word != *: ]] || joined=yes
    done
    local cur=${line[-1]} prev= command=${line[1]}
    ((${#line[@]} < 3)) || prev=${line[-2]}
    if [ "${#line[@]}" = 2 ] || [[ ${#line[@]} = 3 && $command = help ]]; then
        words=$("$tool" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
        [[ $command = help && ${#line[@]} = 3 ]] || words="$words help --help --version"
    else
        help=$("$tool" "$command" --help 2>/dev/null)
        case $prev,$cur in
        --store,* | -s,*) words=$(_tmplctl_stores "$cur") ;;
        --site,*) words=$(_tmplctl_sites) ;;
        *,-*) words=$(grep -oE '^  (-[a-z0-9], |    )--[a-z-]+' <<<"$help" | sed 's/.* //') ;;
        -*) words=$(_tmplctl_help_of "$prev" |
            grep -oE '([a-z]+, )+[a-z]+ or [a-z]+|of ([a-z-]+, ){4,}' | tail -n 1 | sed 's/^of //; s/,\| or / /g') ;;
        esac
        # a list of values is "a, b or c", or "of a, b, c, d, e, ..."; else a site, where the command takes one
        [[ $words || $cur = -* || ! $help =~ ^"Usage: tmplctl $command [OPTION]... "\[?SITE(\]|\|--all)?$'\n' ]] ||
            words=$(_tmplctl_sites)
    fi
    # no compgen -W: it would run $(...) in the name of a site, and so would the command line
    COMPREPLY=()
    while read -r word; do
        [[ -z $word || $word != "$cur"* || $word =~ [^A-Za-z0-9._:/@+=%,-] ]] || COMPREPLY+=("$word")
    done < <(tr -s ' ' '\n' <<<"$words")
    # bash replaces only what is behind the last colon
    [[ $cur = "${COMP_WORDS[COMP_CWORD]}" ]] || COMPREPLY=("${COMPREPLY[@]#"${cur%:*}:"}")
}

# where there is nothing to propose, names of files
complete -o default -F _tmplctl tmplctl
