# Used by offers.zsh. Prints the words that completion adds, and exits the shell after the first Tab.
bindkey '^I' complete-word
begin-of-offers() { print; print BEGIN-OF-OFFERS }
end-of-offers() { print; print END-OF-OFFERS; exit }
compprefuncs=(begin-of-offers)
comppostfuncs=(end-of-offers)
compadd() {
  # With -O, -A or -D the caller only checks what would match.
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a hits
  builtin compadd -A hits "$@"
  builtin compadd "$@"
  (( $#hits )) && print -rl -- "${hits[@]}"
}
