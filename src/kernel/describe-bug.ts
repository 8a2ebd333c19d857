/** What went wrong, for the log; where in the code is told to those who debug it, and to nobody else. */
export function describeBug(thrown: unknown, withStack: boolean): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (withStack) return thrown.stack ?? String(thrown);
  return `${thrown.name}: ${thrown.message} (--debug tells more)`;
}
