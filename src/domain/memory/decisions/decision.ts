import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { Card } from "../cards/card.ts";
import type { NewCard } from "../cards/read-card.ts";
import type { Meta } from "../entry.ts";
import { groundTag } from "../ground.ts";

export type RejectedOption = { option: string; why?: string | undefined };

/** A file that a decision is about. Other keys, such as a content hash, are allowed. */
export type DecisionFile = { path: string; lines?: string | undefined; [more: string]: unknown };

export type DecisionDraft = {
  title: string;
  chosen: string;
  because: string;
  rejected: readonly RejectedOption[];
  files: readonly DecisionFile[];
  commit?: string | undefined;
  reverses: readonly string[];
  /** IDs of the cards that this decision relies on. */
  restsOn: readonly string[];
};

/** The contents of a decision card. A card from another tool has only a title and text. */
export type Decision = Omit<DecisionDraft, "title" | "chosen" | "because"> & {
  chosen?: string | undefined;
  because?: string | undefined;
  reversedBy?: string | undefined;
  /** The thought that records the decision. */
  thought?: string | undefined;
  at?: string | undefined;
};

export const acceptedStatus = "accepted";
export const reversedStatus = "reversed";

/** Statuses of decisions that no longer apply. */
export const fallenStatuses: readonly string[] = [reversedStatus, "rejected", "superseded"];

export const isFallen = ({ type, status }: { type: string; status?: string | undefined }): boolean =>
  type === "decision" && status !== undefined && fallenStatuses.includes(status);

export const decisionStates = ["holds", "in_doubt", "reversed"] as const;
export type DecisionState = (typeof decisionStates)[number];

/** Returns the state of a decision. A decision is in doubt if a decision that it relies on was reversed. */
export const stateOfDecision = (
  card: { type: string; status?: string | undefined },
  doubts: readonly unknown[],
): DecisionState => (isFallen(card) ? "reversed" : doubts.length > 0 ? "in_doubt" : "holds");

const idDigits = 10;
export const decisionIdForm = /^DEC-[0-9a-f]{10}$/;
/** The minimum length of an abbreviated commit hash, in characters. */
export const shortestCommit = 7;

/** True if a decision is linked to one of these commits. Either side may be abbreviated. */
export const isOfCommit = ({ commit }: Pick<Decision, "commit">, ids: readonly string[]): boolean =>
  commit !== undefined &&
  commit.length >= shortestCommit &&
  ids.some((id) => id.length >= shortestCommit && (id.startsWith(commit) || commit.startsWith(id)));

/** Derives the ID from the draft, so the same draft always gets the same ID. */
export const decisionId = (draft: DecisionDraft): string =>
  `DEC-${sha256Hex(canonicalJson(withoutUndefined(draft))).slice(0, idDigits)}`;

const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Indents all lines after the first, so that none can be mistaken for a label. */
const labelled = (label: string, text: string): string =>
  `${label}: ${text.trim().split(/\r?\n/).join("\n  ")}`;

const between = " — ";

/** Returns the text of a decision's card. Search and answers use this text unchanged. */
const textOf = ({ chosen, because, rejected }: DecisionDraft): string =>
  [
    labelled("Chosen", chosen),
    labelled("Because", because),
    ...rejected.map(({ option, why }) =>
      labelled("Rejected", why === undefined ? option : `${option}${between}${why}`),
    ),
  ].join("\n");

export function decisionCard(
  id: string,
  draft: DecisionDraft,
  made: { thought: string; at: string },
): NewCard {
  const { title, files, commit, reverses, restsOn } = draft;
  const decision = {
    ...made,
    ...(files.length > 0 && { files }),
    ...(commit !== undefined && { commit }),
    ...(reverses.length > 0 && { reverses }),
    ...(restsOn.length > 0 && { rests_on: restsOn }),
  };
  return {
    id,
    type: "decision",
    title,
    text: textOf(draft),
    status: acceptedStatus,
    tags: files.some(({ blobs }) => blobs !== undefined) ? [groundTag] : [],
    meta: { decision: withoutUndefined(decision) },
    supports: [],
    blocks: [],
  };
}

/** Returns the text of the thought that records a decision. The text contains the card's ID. */
export const decisionThought = (id: string, draft: DecisionDraft): string =>
  [
    `Decision ${id}: ${draft.title}`,
    textOf(draft),
    ...(draft.reverses.length > 0 ? [`Reverses ${draft.reverses.join(", ")}.`] : []),
    ...(draft.files.length > 0 ? [`Files: ${draft.files.map(nameFile).join(", ")}`] : []),
    ...(draft.commit === undefined ? [] : [`Commit: ${draft.commit}`]),
  ].join("\n");

/** Returns the decision that a thought records, or `undefined` for any other thought. */
export function readDecisionThought(
  thought: string,
): (Pick<Decision, "chosen" | "because"> & { id: string; title: string }) | undefined {
  const { id, title } = /^Decision (?<id>DEC-[0-9a-f]{10}): (?<title>.+)\n/.exec(thought)?.groups ?? {};
  if (id === undefined || title === undefined) return undefined;
  const { chosen, because } = readDecision({ text: thought });
  return { id, title, chosen, because };
}

export const nameFile = ({ path, lines }: DecisionFile): string =>
  lines === undefined ? path : `${path}:${lines}`;

const fileForm = /^(?<path>.+?):(?<lines>\d{1,9}(?:-\d{1,9})?)$/s;

/** Reads a path, which may include lines: `src/pool.ts` or `src/pool.ts:10-20`. */
export function readFileName(given: string): DecisionFile {
  const { path = given, lines } = fileForm.exec(given.trim())?.groups ?? {};
  const plain = path.trim().replace(/^(?:\.\/)+/, "");
  return lines === undefined ? { path: plain } : { path: plain, lines };
}

/** True if a decision is about this file. Two paths match if one is the end of the other. */
export function isAbout({ files }: Pick<Decision, "files">, file: string): boolean {
  const asked = readFileName(file).path;
  return files.some(({ path }) => path === asked || path.endsWith(`/${asked}`) || asked.endsWith(`/${path}`));
}

type Block = { label: string; text: string };

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of text.split("\n")) {
    const { label, rest = "" } = /^(?<label>Chosen|Because|Rejected): (?<rest>.*)$/.exec(line)?.groups ?? {};
    const last = blocks.at(-1);
    if (label !== undefined) blocks.push({ label, text: rest });
    else if (last) last.text += `\n${line.replace(/^ {2}/, "")}`;
  }
  return blocks;
}

function readRejected(text: string): RejectedOption {
  const at = text.indexOf(between);
  return at === -1 ? { option: text } : { option: text.slice(0, at), why: text.slice(at + between.length) };
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

const isFile = (value: unknown): value is DecisionFile =>
  typeof value === "object" && value !== null && typeof (value as DecisionFile).path === "string";

/** Returns the IDs of the cards that a decision relies on. */
export const restsOnIn = (meta: Meta | undefined): string[] =>
  texts((meta?.["decision"] as Meta | undefined)?.["rests_on"]);

export function readDecision({ text = "", meta }: Pick<Card, "text" | "meta">): Decision {
  const kept = (meta?.["decision"] ?? {}) as Meta;
  const blocks = blocksOf(text);
  const first = (label: string) => blocks.find((block) => block.label === label)?.text;
  const word = (name: string) => (typeof kept[name] === "string" ? kept[name] : undefined);
  return {
    chosen: first("Chosen"),
    because: first("Because"),
    rejected: blocks.filter(({ label }) => label === "Rejected").map((block) => readRejected(block.text)),
    files: Array.isArray(kept["files"]) ? kept["files"].filter(isFile) : [],
    commit: word("commit"),
    reverses: texts(kept["reverses"]),
    restsOn: restsOnIn(meta),
    reversedBy: word("reversed_by"),
    thought: word("thought"),
    at: word("at"),
  };
}

/** Returns the meta of a decision that another decision has reversed. */
export const withReversal = (meta: Meta | undefined, by: string): Meta => ({
  decision: { ...(meta?.["decision"] as Meta | undefined), reversed_by: by },
});
