/** What went wrong, for the log; where in the code, only those who debug it see. */
export function describeBug(thrown: unknown, withStack: boolean): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (withStack) return thrown.stack ?? String(thrown);
  return `${thrown.name}: ${thrown.message} (--debug tells more)`;
}
