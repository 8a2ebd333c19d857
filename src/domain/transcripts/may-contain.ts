const unicodeEscape = Buffer.from("\\u");
const slashEscape = Buffer.from("\\/");

/**
 * Whether the strings of a line of JSON can hold the text: false only where that is certain, so that most lines need
 * not be parsed. JSON has one short spelling of every character, `\u` for all, and a second one for the slash.
 */
export function createLinePreCheck(text: string): (line: Buffer) => boolean {
  const spelled = Buffer.from(JSON.stringify(text).slice(1, -1));
  const hasSlash = text.includes("/");
  return (line) =>
    line.includes(spelled) || line.includes(unicodeEscape) || (hasSlash && line.includes(slashEscape));
}
