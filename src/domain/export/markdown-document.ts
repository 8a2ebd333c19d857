import { count } from "../../kernel/numbers.ts";
import { clipWhole, maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { type Steps, withoutText } from "../../kernel/steps.ts";
import { escapeInvisible } from "../../kernel/text.ts";
import { type CipherGraph, type ThoughtRelation, thoughtRelations } from "../analysis/cipher-graph.ts";
import { branchesOf, type ChainShape, type SessionShape, shapeInSteps } from "../analysis/session-shape.ts";
import { cipherTypes } from "../cipher/notation.ts";
import type { ThoughtRemarks } from "../ledger/remark.ts";
import type { Session } from "../ledger/session.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { type Address, describeAddress, nodeId } from "../ledger/thought.ts";
import { mermaidGraph } from "./mermaid-graph.ts";

/**
 * Yields a session as a document for people: the main line, branches under the thought they fork from, and corrections
 * next to the thoughts they replace. Yields one thought at a time, so that other work can run in between.
 */
export function* markdownParts(
  session: Session,
  thoughts: readonly ChainedThought[],
  includeMetadata: boolean,
  remarks: readonly ThoughtRemarks[] = [],
): Generator<string> {
  const shape = yield* withoutText(shapeInSteps(thoughts));
  const main = shape.chains.get(undefined);
  yield toPart([
    `# ${plain(session.title)}`,
    ...(session.description ? ["", quoted(session.description)] : []),
    ...(includeMetadata ? ["", ...metadataTable(session, shape)] : []),
    "",
    "## Reasoning",
  ]);
  if (main) yield* renderChain(yield* withoutText(indexThoughts(shape, remarks)), main, 3);
  else yield toPart(["", "No thoughts yet."]);
  if (thoughts.length > 1) yield toPart(["", "## Shape", "", ...mermaidGraph(shape)]);
}

const toPart = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

type Indexed = {
  graph: CipherGraph;
  byId: ReadonlyMap<string, ChainedThought>;
  children: ReadonlyMap<string, ChainShape[]>;
  revisedBy: ReadonlyMap<string, Address[]>;
  remarks: ReadonlyMap<string, ThoughtRemarks>;
};

const keyOf = ({ branchId, thoughtNumber }: Address): string => nodeId("", { branchId, thoughtNumber });

function* indexThoughts(shape: SessionShape, said: readonly ThoughtRemarks[]): Steps<Indexed> {
  const children = new Map<string, ChainShape[]>();
  for (const branch of branchesOf(shape)) if (branch.fork) addTo(children, keyOf(branch.fork), branch);
  const revisedBy = new Map<string, Address[]>();
  for (const { data } of shape.revisions) if (data.revises) addTo(revisedBy, keyOf(data.revises), data);
  const byId = new Map<string, ChainedThought>();
  for (const entry of shape.thoughts) {
    byId.set(keyOf(entry.data), entry);
    yield;
  }
  const remarks = new Map(said.map((one) => [keyOf(one), one]));
  return { graph: shape.graph, byId, children, revisedBy, remarks };
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/**
 * Yields a chain and its branches. Markdown has six heading levels, so deeper branches use the sixth. Uses an
 * explicit stack, because branches may be nested deeper than the call stack allows.
 */
function* renderChain(index: Indexed, main: ChainShape, top: number): Generator<string> {
  const open = [{ chain: main, level: top, next: 0 }];
  for (let current = open.at(-1); current; current = open.at(-1)) {
    const { chain, level, next } = current;
    const thoughtNumber = chain.numbers[next];
    if (thoughtNumber === undefined) {
      open.pop();
      continue;
    }
    if (next === 0 && chain.fork)
      yield toPart([
        "",
        `${heading(level - 1)} Branch \`${chain.branchId}\` from ${describeAddress(chain.fork)}`,
      ]);
    current.next += 1;
    const place = keyOf({ branchId: chain.branchId, thoughtNumber });
    const entry = index.byId.get(place);
    if (entry) yield* renderThought(index, entry, level);
    for (const branch of [...(index.children.get(place) ?? [])].reverse())
      open.push({ chain: branch, level: level + 2, next: 0 });
  }
}

const heading = (level: number): string => "#".repeat(Math.min(6, level));

function* renderThought(index: Indexed, { data }: ChainedThought, level: number): Generator<string> {
  const { byId, revisedBy, graph } = index;
  const original = data.revises && byId.get(keyOf(data.revises));
  const corrections = revisedBy.get(keyOf(data)) ?? [];
  yield toPart(["", `${heading(level)} ${titleOf(index, data)}`, ""]);
  yield* quotedParts(data.thought);
  const beside = [
    ...renderEdges(graph, data),
    ...(original ? ["", `Replaces: *${plain(clipWhole(original.data.thought, 200))}*`] : []),
    ...(corrections.length > 0 ? ["", `Corrected by ${corrections.map(describeAddress).join(", ")}.`] : []),
  ];
  if (beside.length > 0) yield toPart(beside);
  if (data.critique) {
    yield toPart(["", `Critique by ${plain(data.critique.model)}:`, ""]);
    yield* quotedParts(data.critique.text);
  }
  for (const { text, at } of index.remarks.get(keyOf(data))?.comments ?? []) {
    yield toPart(["", `Comment, ${at}:`, ""]);
    yield* quotedParts(text);
  }
}

function titleOf({ graph, remarks }: Indexed, data: ChainedThought["data"]): string {
  const place = data.branchId === undefined ? "" : `${data.branchId} `;
  const types = graph.typesOf(data).map((type) => cipherTypes[type].name.toLowerCase());
  return [
    `${place}${data.thoughtNumber}`,
    ...(types.length > 0 ? [types.join(", ")] : []),
    ...(data.revises ? [`revises ${describeAddress(data.revises)}`] : []),
    ...(graph.isRejected(data) ? ["rejected"] : []),
    ...(remarks.get(keyOf(data))?.starredAt === undefined ? [] : ["★"]),
  ].join(" · ");
}

const wordsFor: Record<ThoughtRelation, string> = {
  rests_on: "Rests on",
  supports: "Supports",
  against: "Contradicts",
  revises: "Corrects",
  rejects: "Rejects",
};

/**
 * Renders a thought's relations to other thoughts, as stated in the notation. Omits the correction that the
 * heading already shows.
 */
function renderEdges(graph: CipherGraph, data: ChainedThought["data"]): string[] {
  const revised = data.revises && keyOf(data.revises);
  const edges = graph
    .edgesFrom(data)
    .filter(({ relation, to }) => relation !== "revises" || keyOf(to) !== revised);
  const said = thoughtRelations.flatMap((relation) => {
    const named = edges.filter((edge) => edge.relation === relation).map(({ to }) => describeAddress(to));
    return named.length > 0 ? [`${wordsFor[relation]} ${named.join(", ")}.`] : [];
  });
  const steps = graph.isRejected(data) ? [] : graph.rejectedSteps(data);
  if (steps.length > 0) said.push(`Rejected: ${steps.map((step) => `S${step}`).join(", ")}.`);
  return said.length > 0 ? ["", said.join(" ")] : [];
}

function metadataTable(session: Session, shape: SessionShape): string[] {
  const rejected = shape.rejected.length;
  const parts = [
    count(branchesOf(shape).length, "branch"),
    count(shape.revisions.length, "revision"),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
  ];
  const thoughts = `${shape.thoughts.length} (${parts.join(", ")})`;
  const rows: [string, string][] = [
    ["Session", `\`${session.id}\``],
    ["Project", plain(session.project)],
    ["Status", session.status],
    ["Thoughts", thoughts],
    ["Started", session.createdAt],
    ["Last thought", session.updatedAt],
    ...(session.tags.length > 0 ? [["Tags", session.tags.map(plain).join(", ")] as [string, string]] : []),
  ];
  return [
    "| | |",
    "|---|---|",
    ...rows.map(([name, value]) => `| ${name} | ${value.replaceAll("|", "\\|")} |`),
  ];
}

/** The number of characters to quote at once. A megabyte of line breaks at once would take too long. */
const blockLength = 64_000;

/** Quotes a recorded text, so that its headings cannot be mistaken for the document's and its HTML is not rendered. */
function* quotedParts(text: string): Generator<string> {
  const clean = safe(text).replace(/\r\n?/g, "\n");
  for (let from = 0; from <= clean.length; ) {
    const found = clean.indexOf("\n", from + blockLength);
    const end = found < 0 ? clean.length : found;
    const lines = clean.slice(from, end).split("\n");
    yield toPart(lines.map((line) => (line === "" ? ">" : `> ${line}`)));
    from = end + 1;
  }
}

export const quoted = (text: string): string => [...quotedParts(text)].join("").trimEnd();

/** Returns the text on one line, with its Markdown escaped. */
export const plain = (text: string): string =>
  safe(text)
    .replace(/\s+/g, " ")
    .replace(/([*_`\\])/g, "\\$1")
    .trim();

/** Links to web pages and mail addresses are allowed. Any other scheme could run code or open local files. */
const harmless = /^(?:https?:\/\/|mailto:)/i;
/** The scheme of a link, even if its colon is escaped with a backslash. */
const scheme = /^[^\s/?#)]*:/;
const longestScheme = 100;

/**
 * Makes Markdown safe to show and click. Shows images as source, because a viewer would fetch them from any address.
 * Also shows links as source unless they go to a web page or mail address.
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

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (/[\s>]/.test(text[at] ?? "")) at += 1;
  return at;
}

const safe = (text: string): string =>
  withoutActiveLinks(escapeInvisible(maskForExport(text)).replaceAll("&", "&amp;").replaceAll("<", "&lt;"));

/** An anchor in a thought, with the sessions and thoughts that the anchor resolved to. */
type Reference = Address & {
  anchor: string;
  status: "resolved" | "ambiguous" | "unresolved";
  candidates: readonly { title: string }[];
  selected?:
    | { title: string; sessionId: string; thoughts: readonly { thoughtNumber: number; thought: string }[] }
    | undefined;
  hint?: string | undefined;
};

const shownThoughts = 3;
const shownCharacters = 160;

/** Lists the anchors of a document with their targets, for readers without access to the other sessions. */
export function referenceTable(references: readonly Reference[]): string {
  const places = new Map<string, Reference[]>();
  for (const reference of references) addTo(places, reference.anchor, reference);
  const rows = [...places].map(([anchor, named]) => {
    const means = named[0] ? explain(named[0]) : "";
    return `| \`${anchor}\` | ${named.map(describeAddress).join(", ")} | ${means.replaceAll("|", "\\|")} |`;
  });
  return ["## References", "", "| anchor | in | means |", "|---|---|---|", ...rows, ""].join("\n");
}

function explain({ status, selected, candidates, hint }: Reference): string {
  if (status === "unresolved") return hint === undefined ? "no matching session" : plain(hint);
  if (!selected) return `one of ${candidates.map(({ title }) => `“${plain(title)}”`).join(", ")}`;
  const thoughts = selected.thoughts
    .slice(0, shownThoughts)
    .map(({ thoughtNumber, thought }) => `${thoughtNumber}: *${plain(clipWhole(thought, shownCharacters))}*`);
  const more = selected.thoughts.length > shownThoughts ? " …" : "";
  return `“${plain(selected.title)}” (\`${selected.sessionId}\`); ${thoughts.join("; ")}${more}`;
}
