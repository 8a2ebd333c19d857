import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { withoutText } from "../../kernel/steps.ts";
import { escapeInvisible } from "../../kernel/text.ts";
import type { CipherStatement, CipherType, ReferenceTarget } from "../cipher/notation.ts";
import { findInlineReferences, formatStep } from "../cipher/parse.ts";
import type { Address } from "../ledger/thought.ts";
import { type ChainedThought, endsSession, type Thought } from "../ledger/thought.ts";
import {
  type DocumentNumbers,
  type DocumentThought,
  numberDocument,
  readDocument,
  renumberStep,
} from "./renumber-step.ts";

/**
 * Yields a session as one cipher document that parses back to the same links. Every step gets a unique
 * number, and references are renumbered to match. Masks secrets, because documents are shared. Yields one
 * thought at a time, so that other work can run in between.
 */
export function* cipherParts(thoughts: readonly ChainedThought[]): Generator<string> {
  if (thoughts.length === 0) yield "\n";
  const document = yield* withoutText(readDocument(thoughts));
  const numbers = yield* withoutText(numberDocument(document));
  for (const thought of document)
    for (const statement of toStatements(thought, numbers))
      yield `${escapeInvisible(maskForExport(formatStep(statement)))}\n`;
}

function toStatements(thought: DocumentThought, numbers: DocumentNumbers): CipherStatement[] {
  const { data, steps } = thought;
  const statements =
    steps.length > 0 ? steps.map((step) => renumberStep(thought, step, numbers)) : [toProse(data, numbers)];
  return statements.map((statement, index) => withLedgerLinks(statement, data, numbers, index === 0));
}

function toProse(data: Thought, numbers: DocumentNumbers): CipherStatement {
  const [number = data.thoughtNumber] = numbers.of(data);
  return { number, type: typeOf(data), references: [], content: withoutReferences(data.thought) };
}

/** Replaces the brackets around steps in prose, because the document would read them as links. */
function withoutReferences(text: string): string {
  let [plain, read] = ["", 0];
  for (const { start, end } of findInlineReferences(text, 0).references) {
    plain += text.slice(read, start) + text.slice(start, end).replace("[", "(").replace("]", ")");
    read = end;
  }
  return plain + text.slice(read);
}

function typeOf(thought: Thought): CipherType {
  if (thought.isRevision) return "R";
  return endsSession(thought) ? "C" : "O";
}

/**
 * Adds relations that are only in the ledger: the revised thought, and the thought that the branch forks from. In
 * evidence and rejections, a reference to the fork would mean support or rejection, so only the label shows the fork.
 */
function withLedgerLinks(
  statement: CipherStatement,
  data: Thought,
  numbers: DocumentNumbers,
  isFirst: boolean,
): CipherStatement {
  const named = (address: Address | undefined, revises: boolean): ReferenceTarget[] =>
    address && isFirst
      ? numbers
          .of(address)
          .slice(0, 1)
          .map((number) => ({ number, revises, inline: false }))
      : [];
  const { branchId, branchFromThought, branchFromBranch } = data;
  const fork = named(
    branchFromThought === undefined
      ? undefined
      : { branchId: branchFromBranch, thoughtNumber: branchFromThought },
    false,
  );
  const says = statement.type === "E" || statement.type === "X";
  const from = says && fork[0] ? ` from S${fork[0].number}` : "";
  const links = [...named(data.revises, true), ...(says ? [] : fork)].filter(
    (link) => !statement.references.some((known) => covers(known, link)),
  );
  const label = branchId === undefined ? "" : `(${branchId}${from}) `;
  return {
    ...statement,
    references: [...statement.references, ...links],
    content: `${label}${statement.content}`,
  };
}

const covers = ({ number, to = number, revises }: ReferenceTarget, link: ReferenceTarget): boolean =>
  revises === link.revises && link.number >= number && link.number <= to;
