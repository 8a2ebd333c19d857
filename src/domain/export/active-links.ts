/** Where a link may lead: pages and mail; anything else with a scheme could run, or reach into this machine. */
const harmless = /^(?:https?:\/\/|mailto:)/i;
/** A scheme, also where its colon is written with a backslash before it. */
const scheme = /^[^\s/?#)]*:/;
const longestScheme = 100;

/**
 * Markdown in which nothing acts by itself or on a click: images, which a viewer would fetch from wherever they say, and
 * links to anything but pages are shown as they were written.
 */
export function withoutActiveLinks(markdown: string): string {
  const text = markdown.replaceAll("![", "!\\[");
  let safe = "";
  let done = 0;
  for (const { index } of text.matchAll(/\][(:]/g)) {
    const target = skipBlanks(text, index + 2);
    const destination = text.slice(target, target + longestScheme);
    if (!scheme.test(destination) || harmless.test(destination)) continue;
    safe += `${text.slice(done, index + 1)}\\`;
    done = index + 1;
  }
  return safe + text.slice(done);
}

/** And what makes the next line one of the same quotation. */
function skipBlanks(text: string, from: number): number {
  let at = from;
  while (/[\s>]/.test(text[at] ?? "")) at += 1;
  return at;
}
