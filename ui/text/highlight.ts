export type Token = { kind: "plain" | "comment" | "string" | "keyword" | "number"; text: string };

const KEYWORDS = new Set(
  (
    "abstract and as assert async await break case catch class const continue def default defer del do elif else enum " +
    "except export extends false final finally fn for from func function go if impl implements import in insert " +
    "instanceof interface into is join lambda let match mod mut new nil none not null of on or package pass private " +
    "protected pub public raise return select self set static struct super switch table then this throw trait true try " +
    "type typeof undefined update use val values var void where while with yield"
  ).split(" "),
);

const HASH_COMMENTS = new Set([
  "",
  "bash",
  "py",
  "python",
  "rb",
  "ruby",
  "sh",
  "shell",
  "toml",
  "yaml",
  "yml",
  "zsh",
]);
const PROSE = new Set(["markdown", "md", "text", "txt"]);
const MAX_CODE = 20_000;

/**
 * Highlights comments, strings, numbers and common keywords of most languages, which is enough to read code in a panel.
 * An unclosed string or comment extends to the end of the text, so every character is read once.
 */
export function highlight(code: string, language: string): Token[] {
  if (code.length > MAX_CODE || PROSE.has(language)) return [{ kind: "plain", text: code }];
  const comment = HASH_COMMENTS.has(language)
    ? "#[^\\n]*"
    : language === "sql"
      ? "--[^\\n]*"
      : "\\/\\/[^\\n]*";
  const pattern = new RegExp(
    `(${comment}|\\/\\*(?:[^*]|\\*(?!\\/))*(?:\\*\\/)?)|("(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?|\`(?:[^\`\\\\]|\\\\.)*\`?)|\\b(\\d[\\w.]*)|([A-Za-z_]\\w*)`,
    "g",
  );
  const tokens: Token[] = [];
  let last = 0;
  const put = (kind: Token["kind"], text: string) => {
    const before = tokens.at(-1);
    if (before?.kind === kind) before.text += text;
    else if (text !== "") tokens.push({ kind, text });
  };
  for (const match of code.matchAll(pattern)) {
    put("plain", code.slice(last, match.index));
    const [whole, said, string, number, word] = match;
    if (said !== undefined) put("comment", whole);
    else if (string !== undefined) put("string", whole);
    else if (number !== undefined) put("number", whole);
    else put(word !== undefined && KEYWORDS.has(word.toLowerCase()) ? "keyword" : "plain", whole);
    last = (match.index ?? 0) + whole.length;
  }
  put("plain", code.slice(last));
  return tokens;
}
