# Prints what Tab offers in an interactive zsh, one line each: zsh -f offers.zsh <setup> <what is typed>
# The inner shell sources <setup>, gets the line and a Tab, and prints every word that is offered.
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PROMPT=; stty -echo; source ${(q)1}; source ${(q)0:a:h}/tell-offers.zsh; print READ''Y"
while zpty -r inner line; do [[ $line == *READY* ]] && break; done
zpty -w -n inner "$2"$'\t'
inside=0
while zpty -r inner line; do
  line=${line%%[$'\r\n']*}
  [[ $line == *END-OF-OFFERS* ]] && break
  (( inside )) && [[ -n $line ]] && print -r -- "$line"
  [[ $line == *BEGIN-OF-OFFERS* ]] && inside=1
done
zpty -d inner
exit 0
