import { largest } from "../../kernel/numbers.ts";
import { maskSecrets } from "../../kernel/secrets/secrets.ts";
import { formatCipher } from "../cipher/format.ts";
import type { CipherStatement, CipherType, ReferenceTarget } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { type Address, nodeId } from "../ledger/address.ts";
import type { ChainedThought } from "../ledger/thought.ts";

/**
 * A session as one cipher document. Main-chain thoughts keep their numbers; branch thoughts, whose numbers repeat,
 * follow behind the highest of them, so that every step of the document is addressed by one number. It is made to be
 * passed on, so secrets in it are masked.
 */
export function toCipherDocument(thoughts: readonly ChainedThought[]): string {
  const numbers = assignNumbers(thoughts);
  const numberOf = ({ branchId, thoughtNumber }: Address) =>
    numbers.get(nodeId("", { branchId, thoughtNumber }));
  const inOrder = [...thoughts].sort((a, b) => (numberOf(a.data) ?? 0) - (numberOf(b.data) ?? 0));
  return `${maskSecrets(formatCipher(inOrder.map((entry) => toStatement(entry, numberOf))))}\n`;
}

function assignNumbers(thoughts: readonly ChainedThought[]): Map<string, number> {
  const numbers = new Map<string, number>();
  const main = thoughts.filter(({ data }) => data.branchId === undefined);
  for (const { data } of main) numbers.set(nodeId("", data), data.thoughtNumber);
  let next = largest(numbers.values());
  for (const { data } of thoughts) {
    if (data.branchId === undefined) continue;
    next += 1;
    numbers.set(nodeId("", data), next);
  }
  return numbers;
}

function toStatement(
  { data }: ChainedThought,
  numberOf: (address: Address) => number | undefined,
): CipherStatement {
  const parsed = parseCipher(data.thought);
  const step = parsed?.steps.length === 1 ? parsed.steps[0] : undefined;
  const own: ReferenceTarget[] =
    step?.references
      .filter(({ inline }) => !inline)
      .map(({ number, to, revises }) => ({
        number,
        revises,
        inline: false,
        ...(to !== undefined && { to }),
      })) ?? [];
  const links = structuralReferences(data, numberOf).filter(
    (link) =>
      !own.some((reference) => reference.number === link.number && reference.revises === link.revises),
  );
  const label = data.branchId === undefined ? "" : `(${data.branchId}) `;
  return {
    number: numberOf(data) ?? data.thoughtNumber,
    type: step?.type ?? typeOf(data),
    references: [...own, ...links],
    content: `${label}${step?.content ?? data.thought}`,
  };
}

function typeOf({ isRevision, nextThoughtNeeded, branchId }: ChainedThought["data"]): CipherType {
  if (isRevision) return "R";
  return !nextThoughtNeeded && branchId === undefined ? "C" : "O";
}

/** What the ledger knows beyond the text: the thought it revises, and the thought its branch leaves from. */
function structuralReferences(
  data: ChainedThought["data"],
  numberOf: (address: Address) => number | undefined,
): ReferenceTarget[] {
  const revised = data.revises && numberOf(data.revises);
  const fork =
    data.branchFromThought === undefined
      ? undefined
      : numberOf({ branchId: data.branchFromBranch, thoughtNumber: data.branchFromThought });
  return [
    ...(revised === undefined ? [] : [{ number: revised, revises: true, inline: false }]),
    ...(fork === undefined ? [] : [{ number: fork, revises: false, inline: false }]),
  ];
}
