const beginnings =
  /^(?:no[,.!\s]|nope\b|nah\b|stop\b|wait\b|wrong\b|incorrect\b|actually\b|undo\b|revert\b|instead\b|don'?t\b|do not\b|please don'?t\b|please stop\b|not (?:what|like|that|quite|there)\b|that(?:'s| is| was) (?:not|wrong|incorrect)\b|this is (?:not|wrong)\b|it(?:'s| is) (?:not|still|wrong)\b|you (?:forgot|missed|misread|misunderstood|broke|should(?:n'?t| not))\b|i (?:said|meant|asked|told you)\b|why (?:did|are) you\b)/i;

const interruption = /^\[Request interrupted by user/;
const refusal = /^The user doesn't want to (?:proceed|take this action)/;
const reason = "the user said:\n";

/** Whether a message of the user corrects the agent, by how it begins. */
export const isCorrection = (text: string): boolean => beginnings.test(text.slice(0, 80).trimStart());

/** Whether the user broke off what was going on; what they say next corrects it. */
export const isInterruption = (text: string): boolean => interruption.test(text);

/** What the user said when refusing a tool; `undefined` where the text is an ordinary error. */
export function readRefusal(text: string): string | undefined {
  if (!refusal.test(text)) return undefined;
  const at = text.indexOf(reason);
  return at === -1 ? "" : text.slice(at + reason.length).trim();
}
