/** The inline elements of a line of Markdown. Text stays text and never becomes HTML. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis" | "struck"; inner: Inline[] }
  | { kind: "link"; href: string; inner: Inline[] }
  | { kind: "break" };

const MAX_DEPTH = 4;
const WORD = /[\p{L}\p{N}]/u;

// Emphasis opens after a space or an opening character and closes before a space or a closing one. Emphasised
// text begins with a word, code or a quotation. Therefore `2*3*4`, `src/**/*.ts`, `char **argv` and `\\*`
// keep all their characters.
const BEFORE_OPENER = /^[\s([{"'“„‘«—–:>*~]?$/;
const FIRST_INSIDE = /[\p{L}\p{N}\p{S}`"'“„‘«([*~]/u;
const AFTER_CLOSER = /^[\s)\]}"'”’».,;:!?…—–*~]?$/;

/** Allows only links that are safe to open: the web, and addresses of this page. */
export function safeHref(address: string): string | undefined {
  const href = address.trim();
  if (!/^(?:https?:\/\/[^\s"'<>\\^`{|}]+|#\/[^\s"'<>\\]*)$/i.test(href)) return undefined;
  return /[\p{Cc}\p{Cf}]/u.test(href) ? undefined : href;
}

/**
 * Finds the next occurrence, cached until it is passed, so that many openers without a closer still take only linear
 * time.
 */
function createFinder(text: string): (what: string, from: number) => number {
  const known = new Map<string, number>();
  return (what, from) => {
    const last = known.get(what);
    if (last !== undefined && (last < 0 || last >= from)) return last;
    const next = text.indexOf(what, from);
    known.set(what, next);
    return next;
  };
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const OWN = new RegExp(
  `^thoughtbox://(?:notebooks/(?<notebook>${UUID})(?:/cells/(?<cell>${UUID}))?|sessions/(?<session>${UUID}))(?:\\?[\\w=&-]{1,200})?`,
);

/**
 * Returns the page that shows the target of a `thoughtbox://` address. A cell is shown in the version and run that the
 * address names.
 */
function ownHref(address: string, { notebook, cell, session }: Record<string, string | undefined>): string {
  if (session !== undefined) return `#/s/${session}`;
  if (cell === undefined) return `#/n/${notebook}`;
  const query = new URLSearchParams(address.split("?", 2)[1]);
  const asked = [
    ["v", query.get("version")],
    ["run", query.get("run")],
  ].flatMap(([name, value]) => (value && /^\d{1,15}$/.test(value) ? [`${name}=${value}`] : []));
  return `#/n/${notebook}/${cell}${asked.length > 0 ? `?${asked.join("&")}` : ""}`;
}

const MARKS = [
  ["**", "strong"],
  ["~~", "struck"],
  ["*", "emphasis"],
] as const;

export function parseInline(text: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  const find = createFinder(text);
  let plain = "";
  const flush = () => {
    if (plain !== "") out.push({ kind: "text", text: plain });
    plain = "";
  };
  const put = (node: Inline) => {
    flush();
    out.push(node);
  };

  /** Parses `[words](address)`, also for images, whose address is shown as a link and never loaded. */
  const link = (at: number): number => {
    const middle = find("](", at);
    const end = middle < 0 ? -1 : find(")", middle);
    if (end < 0 || middle - at > 1000 || end - middle > 2000) return 0;
    const href = safeHref(text.slice(middle + 2, end));
    const words = text.slice(at + 1, middle);
    if (!href) return 0;
    put({
      kind: "link",
      href,
      inner:
        depth < MAX_DEPTH && words !== ""
          ? parseInline(words, depth + 1)
          : [{ kind: "text", text: words || href }],
    });
    return end + 1 - at;
  };

  const image = (at: number): number => {
    const taken = link(at + 1);
    return taken === 0 ? 0 : taken + 1;
  };

  const marked = (at: number): number => {
    for (const [mark, kind] of MARKS) {
      if (!text.startsWith(mark, at)) continue;
      const from = at + mark.length;
      const end = find(mark, from);
      if (end <= from || /[\s/\\]/.test(text[end - 1] ?? "") || !FIRST_INSIDE.test(text[from] ?? ""))
        continue;
      if (!BEFORE_OPENER.test(text[at - 1] ?? "") || !AFTER_CLOSER.test(text[end + mark.length] ?? ""))
        continue;
      put({ kind, inner: parseInline(text.slice(from, end), depth + 1) });
      return end + mark.length - at;
    }
    return 0;
  };

  /** Keeps signs that format nothing together, so that the second one of `**` does not open emphasis. */
  const signs = (at: number): number => {
    let end = at + 1;
    while (text[end] === text[at]) end++;
    plain += text.slice(at, end);
    return end - at;
  };

  const code = (at: number): number => {
    const mark = text.startsWith("``", at) ? "``" : "`";
    const end = find(mark, at + mark.length);
    if (end < 0) return 0;
    put({ kind: "code", text: text.slice(at + mark.length, end).replace(/^ (.+) $/, "$1") });
    return end + mark.length - at;
  };

  const bareLink = (at: number): number => {
    if (WORD.test(text[at - 1] ?? "")) return 0;
    const href = /^https?:\/\/[^\s"'<>\\^`{|}]{1,2000}/i
      .exec(text.slice(at, at + 2010))?.[0]
      .replace(/[.,;:!?)\]*_]+$/, "");
    if (!href || !safeHref(href)) return 0;
    put({ kind: "link", href, inner: [{ kind: "text", text: href }] });
    return href.length;
  };

  const ownLink = (at: number): number => {
    if (WORD.test(text[at - 1] ?? "")) return 0;
    const found = OWN.exec(text.slice(at, at + 400));
    if (!found?.groups) return 0;
    put({
      kind: "link",
      href: ownHref(found[0], found.groups),
      inner: [{ kind: "text", text: found[0] }],
    });
    return found[0].length;
  };

  const special = (at: number): number => {
    switch (text[at]) {
      case "`":
        return code(at);
      case "[":
        return link(at);
      case "!":
        return text[at + 1] === "[" ? image(at) : 0;
      case "*":
      case "~":
        return (depth < MAX_DEPTH ? marked(at) : 0) || signs(at);
      case "h":
      case "H":
        return bareLink(at);
      case "t":
        return text.startsWith("thoughtbox://", at) ? ownLink(at) : 0;
      case "\n":
        put({ kind: "break" });
        return 1;
      default:
        return 0;
    }
  };

  for (let at = 0; at < text.length; ) {
    const taken = special(at);
    if (taken === 0) plain += text[at];
    at += taken || 1;
  }
  flush();
  return out;
}

/** Returns the words of inline elements, without their marks. */
export const plainOf = (nodes: readonly Inline[]): string =>
  nodes
    .map((node) => (node.kind === "break" ? "\n" : "inner" in node ? plainOf(node.inner) : node.text))
    .join("");
