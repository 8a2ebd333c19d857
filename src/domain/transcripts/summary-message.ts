const opening =
  /^(?:[#*\s>-]{0,8})(?:summary|in summary|to summari[sz]e|tl;?dr|recap|done|what (?:i|was) (?:did|done|changed)|changes made|all (?:done|set)|implemented|completed|fixed|result)\b/i;
const heading =
  /^\s{0,3}(?:#{1,4}|\*\*)\s{0,4}(?:summary|what changed|changes|result|next steps|recap|verification)\b/im;
const bullet = /^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s/gm;

const shortest = 40;
const looked = 8_000;

/** Whether a message of the agent sums up what was done: it says so first, has such a heading, or closes with a list. */
export function looksLikeSummary(text: string): boolean {
  const early = text.slice(0, looked).trim();
  if (early.length < shortest) return false;
  if (opening.test(early) || heading.test(early)) return true;
  return early.length >= 200 && (early.match(bullet)?.length ?? 0) >= 3;
}
