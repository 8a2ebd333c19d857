import { maskSecrets } from "../../kernel/secrets/secrets.ts";
import { clip, escapeInvisible } from "../../kernel/text.ts";
import {
  branchesOf,
  type ChainShape,
  revisionsOf,
  type SessionShape,
  shapeOf,
} from "../analysis/session-shape.ts";
import { type Address, describeAddress, nodeId } from "../ledger/address.ts";
import type { Session } from "../ledger/session.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { mermaidGraph } from "./mermaid-graph.ts";

/** A session as a document for people: the main line, branches under the thought they leave, corrections beside what they replace. */
export function toMarkdownDocument(
  session: Session,
  thoughts: readonly ChainedThought[],
  includeMetadata: boolean,
): string {
  const shape = shapeOf(thoughts);
  const main = shape.chains.get(undefined);
  return [
    `# ${plain(session.title)}`,
    ...(session.description ? ["", ...quoted(session.description)] : []),
    ...(includeMetadata ? ["", ...metadataTable(session, shape)] : []),
    "",
    "## Reasoning",
    ...(main ? renderChain(indexThoughts(shape), main, 3) : ["", "No thoughts yet."]),
    ...(thoughts.length > 1 ? ["", "## Shape", "", ...mermaidGraph(shape)] : []),
    "",
  ].join("\n");
}

type Indexed = {
  byId: ReadonlyMap<string, ChainedThought>;
  children: ReadonlyMap<string, ChainShape[]>;
  revisedBy: ReadonlyMap<string, Address[]>;
};

const keyOf = ({ branchId, thoughtNumber }: Address): string => nodeId("", { branchId, thoughtNumber });

function indexThoughts(shape: SessionShape): Indexed {
  const children = new Map<string, ChainShape[]>();
  for (const branch of branchesOf(shape)) {
    if (branch.fork) children.set(keyOf(branch.fork), [...(children.get(keyOf(branch.fork)) ?? []), branch]);
  }
  const revisedBy = new Map<string, Address[]>();
  for (const { data } of revisionsOf(shape)) {
    if (data.revises)
      revisedBy.set(keyOf(data.revises), [...(revisedBy.get(keyOf(data.revises)) ?? []), data]);
  }
  return { byId: new Map(shape.thoughts.map((entry) => [keyOf(entry.data), entry])), children, revisedBy };
}

/**
 * Markdown knows six levels of headings; deeper branches stay at the sixth. Walks by a list of its own: branches may
 * be nested deeper than calls can be.
 */
function renderChain(index: Indexed, main: ChainShape, top: number): string[] {
  const lines: string[] = [];
  const open = [{ chain: main, level: top, next: 0 }];
  for (let current = open.at(-1); current; current = open.at(-1)) {
    const { chain, level, next } = current;
    const thoughtNumber = chain.numbers[next];
    if (thoughtNumber === undefined) {
      open.pop();
      continue;
    }
    if (next === 0 && chain.fork)
      lines.push(
        "",
        `${heading(level - 1)} Branch \`${chain.branchId}\` from ${describeAddress(chain.fork)}`,
      );
    current.next += 1;
    const place = keyOf({ branchId: chain.branchId, thoughtNumber });
    const entry = index.byId.get(place);
    for (const line of entry ? renderThought(index, entry, level) : []) lines.push(line);
    for (const branch of [...(index.children.get(place) ?? [])].reverse())
      open.push({ chain: branch, level: level + 2, next: 0 });
  }
  return lines;
}

const heading = (level: number): string => "#".repeat(Math.min(6, level));

function renderThought({ byId, revisedBy }: Indexed, { data }: ChainedThought, level: number): string[] {
  const original = data.revises && byId.get(keyOf(data.revises));
  const corrections = revisedBy.get(keyOf(data)) ?? [];
  return [
    "",
    `${heading(level)} ${data.branchId === undefined ? "" : `${data.branchId} `}${data.thoughtNumber}${data.revises ? ` · revises ${describeAddress(data.revises)}` : ""}`,
    "",
    ...quoted(data.thought),
    ...(original ? ["", `Replaces: *${plain(clip(original.data.thought, 200))}*`] : []),
    ...(corrections.length > 0 ? ["", `Corrected by ${corrections.map(describeAddress).join(", ")}.`] : []),
    ...(data.critique
      ? ["", `Critique by ${plain(data.critique.model)}:`, "", ...quoted(data.critique.text)]
      : []),
  ];
}

function metadataTable(session: Session, shape: SessionShape): string[] {
  const count = `${shape.thoughts.length} (${branchesOf(shape).length} branches, ${revisionsOf(shape).length} revisions)`;
  const rows: [string, string][] = [
    ["Session", `\`${session.id}\``],
    ["Project", plain(session.project)],
    ["Status", session.status],
    ["Thoughts", count],
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

/** Texts are data: quoted so that their headings cannot pose as ours, and never HTML. */
function quoted(text: string): string[] {
  return safe(text)
    .split(/\r\n|\r|\n/)
    .map((line) => (line === "" ? ">" : `> ${line}`));
}

/** On one line, and no Markdown of its own. */
export const plain = (text: string): string =>
  safe(text)
    .replace(/\s+/g, " ")
    .replace(/([*_`\\])/g, "\\$1")
    .trim();

const safe = (text: string): string =>
  escapeInvisible(maskSecrets(text)).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
