import { fromRecord, type KeptAction } from "../../domain/actions/kept-action.ts";
import { sealCritique } from "../../domain/ledger/chain/critique-chain.ts";
import { importedAtOnce } from "../../domain/ledger/limits.ts";
import type { Remark } from "../../domain/ledger/remark.ts";
import type { SessionRecord } from "../../domain/ledger/session.ts";
import type { ChainedCritique, PlacedCritique } from "../../domain/ledger/tree/critique-file.ts";
import { parseThoughtFile, type SealedThought } from "../../domain/ledger/tree/thought-file.ts";
import { count } from "../../kernel/numbers.ts";
import type { Actions, Remarks } from "../../ports/actions.ts";
import type { RestoreReport } from "../../ports/ledger-dump.ts";
import type { LedgerImport, PartOutcome } from "../../ports/ledger-import.ts";
import type { DumpLine } from "./dump-line.ts";
import { addBadLine } from "./read-dump.ts";

/** The kinds of lines that end the current session. */
const endsSession = ["session", "conversation", "origin", "note", "end"];

type Kind = "thoughts" | "critiques";
type LeftOut = { line: number; amount: number };

type OpenSession = {
  record: SessionRecord;
  deletedAt: string | undefined;
  line: number;
  entries: SealedThought[];
  critiques: PlacedCritique[];
  actions: KeptAction[];
  remarks: Remark[];
  /** The number of characters in the waiting lines. */
  characters: number;
  /** The line numbers of the waiting entries, by position. */
  lines: Record<Kind, Map<number, number>>;
  /** The positions of thoughts that a critique may refer to. */
  positions: Map<string, number>;
  /** The number of thought lines read for this session, including damaged ones. */
  met: number;
  leftOut: Record<Kind, LeftOut | undefined>;
  outcome: PartOutcome | undefined;
};

/**
 * Restores the thoughts and critiques that follow a session's line. The store refuses lines that would leave a gap in
 * the chain. Consecutive refused lines are reported as one bad line with a count.
 */
export function restoreSessions(
  {
    imports,
    actions: kept,
    remarks,
  }: { imports: LedgerImport; actions: Pick<Actions, "record">; remarks: Pick<Remarks, "record"> },
  report: RestoreReport,
  onSession: () => void,
) {
  let open: OpenSession | undefined;
  let orphans: LeftOut | undefined;

  async function send(session: OpenSession): Promise<void> {
    const { record, deletedAt, entries, critiques } = session;
    // If a part was refused, the rest of the session cannot be attached.
    const isRefused = session.outcome?.refused !== undefined;
    const [outcome] = isRefused ? [] : await imports.importParts([{ record, deletedAt, entries, critiques }]);
    if (outcome) {
      session.outcome = merge(session.outcome, outcome);
      for (const kind of ["thoughts", "critiques"] as const)
        for (const position of outcome.leftOut[kind])
          session.leftOut[kind] = oneMore(session.leftOut[kind], session.lines[kind].get(position) ?? 0);
    }
    if (session.outcome?.refused === undefined) {
      await kept.record(record.session.id, session.actions);
      await remarks.record(record.session.id, session.remarks);
    }
    session.entries = [];
    session.critiques = [];
    session.actions = [];
    session.remarks = [];
    session.characters = 0;
    for (const lines of Object.values(session.lines)) lines.clear();
  }

  async function finish(): Promise<void> {
    if (orphans) addBadLine(report, orphans.line, describeOrphans(orphans.amount));
    orphans = undefined;
    if (!open) return;
    const session = open;
    open = undefined;
    if (rowsOf(session) > 0 || !session.outcome) await send(session);
    report.sessions += 1;
    if (session.outcome) addOutcome(report, session.outcome);
    sayWhatIsMissing(report, session);
    onSession();
  }

  return {
    finish,
    async take(number: number, line: DumpLine, length: number): Promise<void> {
      if (endsSession.some((kind) => kind in line)) await finish();
      if ("session" in line) open = createOpen(line.session, number);
      // Checked before the line is added, so that a very long text gets its own transaction.
      if (open && !hasRoom(open, length)) await send(open);
      if (["thought", "critique", "action", "remark"].some((kind) => kind in line)) {
        if (!open) orphans = oneMore(orphans, number);
        else if ("action" in line) open.actions.push(fromRecord(line.action));
        else if ("remark" in line) open.remarks.push(line.remark);
        else if ("thought" in line || "critique" in line) {
          const problem =
            "thought" in line
              ? addThought(open, line.thought, number)
              : addCritique(open, line.critique, number);
          if (problem !== undefined) addBadLine(report, number, problem);
        }
      }
      if (open) open.characters += length;
    },
    /**
     * Skips an unreadable line. If it starts a session, the lines after it must not be added to the previous
     * session.
     */
    async passOver(text: string): Promise<void> {
      if (text.startsWith('{"session"')) await finish();
      else if (open) open.met += 1;
    },
  };
}

const createOpen = (
  { deletedAt, ...record }: SessionRecord & { deletedAt?: string | undefined },
  line: number,
): OpenSession => ({
  record,
  deletedAt,
  line,
  entries: [],
  critiques: [],
  actions: [],
  remarks: [],
  characters: 0,
  lines: { thoughts: new Map(), critiques: new Map() },
  positions: new Map(),
  met: 0,
  leftOut: { thoughts: undefined, critiques: undefined },
  outcome: undefined,
});

const oneMore = (before: LeftOut | undefined, line: number): LeftOut =>
  before ? { ...before, amount: before.amount + 1 } : { line, amount: 1 };

const rowsOf = ({ entries, critiques, actions, remarks }: OpenSession): number =>
  entries.length + critiques.length + actions.length + remarks.length;

function hasRoom(session: OpenSession, length: number): boolean {
  const rows = rowsOf(session);
  if (rows === 0) return true;
  return rows < importedAtOnce.rows && session.characters + length <= importedAtOnce.characters;
}

function addThought(session: OpenSession, fields: Record<string, unknown>, line: number): string | undefined {
  session.met += 1;
  const parsed = parseThoughtFile(session.record.session.id, JSON.stringify(fields));
  if (parsed.kind === "bad") return parsed.problem;
  if (parsed.kind === "plain") return "is not part of the session's chain";
  const { entry } = parsed;
  session.entries.push(entry);
  session.lines.thoughts.set(entry.position, line);
  session.positions.set(shortHash(entry.hash), entry.position);
  return undefined;
}

/** Returns the part of a hash that is enough to identify a thought. Saves memory in long sessions. */
const shortHash = (hash: string): string => hash.slice(0, 12);

function addCritique(
  { record, critiques, lines, positions }: OpenSession,
  critique: ChainedCritique,
  line: number,
): string | undefined {
  const { hash, ...sealed } = critique;
  if (sealed.sessionId !== record.session.id || sealCritique(sealed) !== hash)
    return "was changed after it was recorded";
  const thoughtPosition = positions.get(shortHash(critique.thoughtHash));
  critiques.push(thoughtPosition === undefined ? critique : { ...critique, thoughtPosition });
  lines.critiques.set(critique.position, line);
  return undefined;
}

function sayWhatIsMissing(report: RestoreReport, { record, line, met, leftOut, outcome }: OpenSession): void {
  const { thoughts, critiques } = leftOut;
  if (thoughts)
    addBadLine(report, thoughts.line, describeLeftOut("thought", "a thought that is missing", thoughts));
  if (critiques)
    addBadLine(report, critiques.line, describeLeftOut("critique", "something that is missing", critiques));
  const { thoughtCount } = record.session;
  if (met < thoughtCount && outcome?.refused === undefined)
    addBadLine(
      report,
      line,
      `starts a session of ${count(thoughtCount, "thought")}, but the dump has ${met}`,
    );
}

const describeLeftOut = (noun: string, before: string, { amount }: LeftOut): string =>
  amount === 1
    ? `was left out, because it follows ${before}`
    : `and ${count(amount - 1, `more ${noun}`)} were left out, because they follow ${before}`;

const describeOrphans = (amount: number): string =>
  amount === 1 ? "belongs to no session" : `and ${count(amount - 1, "more line")} belong to no session`;

function addOutcome(report: RestoreReport, { sessionId, added, created, refused }: PartOutcome): void {
  report.thoughts += added;
  if (refused !== undefined) report.refused.push({ sessionId, path: sessionId, refusal: refused });
  else if (created) report.imported += 1;
  else if (added > 0) report.continued += 1;
  else report.unchanged += 1;
}

function merge(earlier: PartOutcome | undefined, later: PartOutcome): PartOutcome {
  if (!earlier) return later;
  return {
    ...later,
    ...earlier,
    added: earlier.added + later.added,
    critiques: earlier.critiques + later.critiques,
  };
}
