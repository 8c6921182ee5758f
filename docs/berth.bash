# bash completion of berth: verbs, options and the words that options take, as the program itself tells them.
_berth() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} program=${COMP_WORDS[0]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$verb" = help ]; }; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null |
      awk '/^verbs:/ { listing = 1; next } listing && NF == 0 { exit } listing { print $1 }')" -- "$word")
    return
  fi
  case $before in
  --policy | --policies)
    mapfile -t COMPREPLY < <(compgen -W "$("$program" help run 2>/dev/null | awk '
      /^ +--policy / { listing = 1; next }
      listing && /^ +--/ { exit }
      listing && match($0, /[^ ]/) && RSTART == 34 && /^ +[a-z-]+: / { sub(/:.*/, ""); print $1 }')" -- "$word")
    return
    ;;
  esac
  case $word in
  -*)
    mapfile -t COMPREPLY < <(compgen -W "$("$program" help "$verb" 2>/dev/null |
      awk 'match($0, /^ *(-[a-z], )?--[a-z-]+/) { option = substr($0, RSTART, RLENGTH); sub(/.*--/, "--", option); print option }')" -- "$word")
    ;;
  esac
}
complete -o default -F _berth berth
