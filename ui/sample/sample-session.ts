import type { Session, Thought, ThoughtType } from "../state/thought.ts";
import { critiques, forks, lines } from "./sample-lines.ts";

// A made-up afternoon: why did the nightly report arrive late? The sample contains nested branches,
// revisions, dead ends and critiques, so that users can see everything the Observatory shows before they
// connect an agent.
export const SAMPLE_ID = "sample";

type Line = {
  name: string;
  type: ThoughtType;
  gap: number;
  text: string;
  on: string[];
  rejects: string[];
  replaces: string | undefined;
};

function readLine(line: string): Line {
  const [name = "", type = "N", gap = "0", links = "", ...text] = line.split(" | ");
  const marked = (mark: string) =>
    links
      .split(", ")
      .filter((link) => link.startsWith(mark))
      .map((link) => link.slice(mark.length));
  return {
    name,
    type: type as ThoughtType,
    gap: Number(gap),
    text: text.join(" | "),
    on: marked("").filter((link) => /^[^!^]/.test(link)),
    rejects: marked("!"),
    replaces: marked("^")[0],
  };
}

const nameOf = (name: string): { branchId?: string; thoughtNumber: number } => {
  const [branchId, number] = name.includes(" ") ? name.split(" ") : [undefined, name];
  return { ...(branchId !== undefined && { branchId }), thoughtNumber: Number(number) };
};

const idOf = (name: string): string => `${SAMPLE_ID}:${name.replace(" ", ":")}`;

/** Applies the ledger's rule: `⊖` contradicts, evidence supports, and other steps rest on a thought. */
const relationOf = (
  type: ThoughtType,
  text: string,
  ref: { thoughtNumber: number },
): "contradicts" | "supports" | "rests_on" =>
  text.includes(`⊖ [S${ref.thoughtNumber}]`) ? "contradicts" : type === "E" ? "supports" : "rests_on";

const cipherOf = (
  name: string,
  type: ThoughtType,
  text: string,
  on: readonly string[],
  replaces?: string,
): string => {
  const refs = [
    ...(replaces ? [`^S${nameOf(replaces).thoughtNumber}`] : []),
    ...on.filter((ref) => ref !== replaces).map((ref) => `S${nameOf(ref).thoughtNumber}`),
  ];
  return `S${nameOf(name).thoughtNumber}|${type}|${refs.length > 0 ? `${[...new Set(refs)].join(",")}|` : ""}${text}`;
};

/** Returns the sample in the form the server would send it, ending now. */
export function sampleSession(now: number): { session: Session; thoughts: Thought[] } {
  const read = lines.trim().split("\n").map(readLine);
  const positions = new Map(read.map(({ name }, at) => [name, at + 1]));
  const took = read.reduce((sum, { gap }) => sum + gap, 0) * 1000;
  const lastOf = new Map<string, string>();
  let time = now - took;
  const thoughts = read.map(({ name, type, gap, text, on, rejects, replaces }, at): Thought => {
    time += gap * 1000;
    const { branchId, thoughtNumber } = nameOf(name);
    const fork = branchId !== undefined && !lastOf.has(branchId) ? forks[branchId] : undefined;
    const parent = lastOf.get(branchId ?? "") ?? fork;
    lastOf.set(branchId ?? "", name);
    const from = fork === undefined ? undefined : nameOf(fork);
    const critique = critiques[name];
    const timestamp = new Date(time).toISOString();
    return {
      id: idOf(name),
      thoughtNumber,
      totalThoughts: 27,
      thought: cipherOf(name, type, text, on, replaces),
      nextThoughtNeeded: at < read.length - 1,
      timestamp,
      seq: at + 1,
      position: at + 1,
      parentId: parent === undefined ? null : idOf(parent),
      parent: parent === undefined ? 0 : (positions.get(parent) ?? 0),
      type,
      ...(branchId !== undefined && { branchId }),
      ...(from && { branchFromThought: from.thoughtNumber }),
      ...(from?.branchId !== undefined && { branchFromBranch: from.branchId }),
      ...(replaces !== undefined && {
        isRevision: true as const,
        revisesThought: nameOf(replaces).thoughtNumber,
        revisesId: idOf(replaces),
        revises: positions.get(replaces) ?? 0,
      }),
      links: [
        ...on.map((ref) => ({ relation: relationOf(type, text, nameOf(ref)), to: positions.get(ref) ?? 0 })),
        ...rejects.map((ref) => ({ relation: "rejects" as const, to: positions.get(ref) ?? 0 })),
      ],
      agentId: "sample",
      ...(critique !== undefined && {
        hasCritique: true as const,
        critique: { text: critique, model: "critic", timestamp: new Date(time + 9000).toISOString() },
      }),
    };
  });
  const session: Session = {
    id: SAMPLE_ID,
    title: "Why is the nightly report late?",
    tags: ["sample"],
    createdAt: thoughts[0]?.timestamp ?? new Date(now).toISOString(),
    completedAt: new Date(now).toISOString(),
    status: "completed",
    project: "sample",
    thoughtCount: thoughts.length,
    branchCount: Object.keys(forks).length,
    updatedAt: new Date(now).toISOString(),
  };
  return { session, thoughts };
}
