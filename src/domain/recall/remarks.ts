import { cipherGraphOf } from "../analysis/cipher-graph.ts";
import { digestOf } from "../analysis/digest.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { nodeId } from "../ledger/thought.ts";
import { isLastingCorrection, isPasted, isStep, kindOfSentence, planSubject } from "./kind-of-sentence.ts";

/** The kinds of remarks that a new session is shown, in display order. */
export const remarkKinds = ["decided", "rejected", "corrected", "open", "unfinished"] as const;
export type RemarkKind = (typeof remarkKinds)[number];

/** A statement by the user or an agent, with its source. */
export type Remark = {
  kind: RemarkKind;
  text: string;
  at: string;
  author: string;
  id: string;
  /** The statement that this one replaced. */
  was?: string;
  /** The statement that replaced this one. */
  instead?: string;
  /** The user's own words, if the text also contains the command that they refused. */
  said?: string;
  place?: { branch: string; doc: string };
};

/** True for a tool's output, or a quotation from one. Such a text is not a statement. */
const isToolOutput = ({ agentId, cipher }: Thought): boolean =>
  agentId === "tool" || (cipher?.length === 1 && cipher[0]?.type === "O");

/** Returns the strong statements of one session. */
export function remarksOf(thoughts: readonly ChainedThought[]): Remark[] {
  const said = thoughts.filter(({ data }) => !isToolOutput(data));
  return [...statedRemarks(thoughts, said), ...plainRemarks(said)];
}

/** Returns what the notation marks as concluded, rejected or open. */
function statedRemarks(thoughts: readonly ChainedThought[], said: readonly ChainedThought[]): Remark[] {
  const { conclusions, rejected, openQuestions } = digestOf(thoughts, cipherGraphOf(thoughts));
  const byAddress = new Map(said.map((thought) => [addressOf(thought.data), thought]));
  const take = (kind: RemarkKind, lines: readonly Line[]) =>
    lines.flatMap(({ text, why, ...address }) => {
      const thought = byAddress.get(addressOf(address));
      return thought?.data.cipher
        ? [remark(kind, why === undefined ? text : `${text} (${why})`, thought)]
        : [];
    });
  return [...take("decided", conclusions), ...take("rejected", rejected), ...take("open", openQuestions)];
}

type Line = Pick<Thought, "branchId" | "thoughtNumber"> & { text: string; why?: string | undefined };

const addressOf = ({ branchId, thoughtNumber }: Pick<Thought, "branchId" | "thoughtNumber">): string =>
  `${branchId ?? ""}#${thoughtNumber}`;

/** Returns an address that `open` accepts, with an abbreviated session ID. */
export const idOfThought = ({ sessionId, data }: ChainedThought): string =>
  nodeId(sessionId.slice(0, 8), data);

const remark = (kind: RemarkKind, text: string, thought: ChainedThought): Remark => ({
  kind,
  text,
  at: thought.data.timestamp,
  author: thought.data.agentId ?? "agent",
  id: idOfThought(thought),
});

/** The length of a remark, in characters. A longer sentence is usually a quotation or a list. */
const [shortest, longest] = [12, 280];
/** The maximum number of remarks of a kind per thought. A thought with more probably lists a rule's cases. */
const mostOfThought = 4;

/** Finds sentences that explicitly state that something was decided, abandoned or left open. */
function plainRemarks(said: readonly ChainedThought[]): Remark[] {
  return said
    .filter(({ data }) => !data.cipher || isCorrection(data))
    .flatMap((thought) => {
      const text = withoutNotation(thought.data.thought);
      const by = thought.data.agentId === "user" ? "user" : "agent";
      if (by === "user" && isPasted(text)) return [];
      const plan = by === "user" ? planSubject(text) : undefined;
      if (plan !== undefined) return [remark("decided", plan, thought)];
      if (isCorrection(thought.data))
        return isLastingCorrection(text) ? [remark("corrected", text, thought)] : [];
      const sentences = sentencesOf(text);
      const remarks = sentences.flatMap((sentence, at) => {
        const kind = kindOfSentence(sentence, by);
        const before = isAboutNothing.test(sentence) ? undefined : sentences[at - 1];
        return kind ? [remark(kind, withSubject(sentence, before), thought)] : [];
      });
      const countOf = (kind: RemarkKind) => remarks.filter((one) => one.kind === kind).length;
      return remarks.filter(({ kind }) => countOf(kind) <= mostOfThought);
    });
}

/** Adds the preceding sentence if a sentence's subject is unclear on its own, as in "It did not help". */
const withSubject = (text: string, before: string | undefined): string =>
  before !== undefined &&
  !isStep(before) &&
  /^(?:(?:but|and|so|however|also|(?:for|in|on|with) [^,]{1,40}),? )?(?:it|this|that|they|these|both)\b/i.test(
    text,
  )
    ? `${before} ${text}`
    : text;

/** Matches sentences such as "It is still unclear who", in which "it" does not refer to anything. */
const isAboutNothing =
  /^it (?:is|was|remains) (?:still |also |not |yet )*(?:un\w+|clear|open) (?:who|what|why|how|when|where|whether|if|which)\b/i;

const isCorrection = ({ agentId, isRevision }: Thought): boolean => agentId === "user" && isRevision === true;

const withoutNotation = (text: string): string => text.replace(/^S\d+\|R\|[^|]*\|/, "");

/** Skips text between fences, which is code, and lines that begin with `>`, which are quotations. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n+/)
    .filter((line) => !/^\s*>/.test(line))
    .flatMap((line) => line.split(/(?<=[.!?])\s+/))
    .map((sentence) =>
      sentence
        .replaceAll(/\*\*|__/g, "")
        .replace(/^(?:[\s#*•✅❌-]|\d+\. )+/u, "")
        .trim(),
    )
    .filter(({ length }) => length >= shortest && length <= longest);
}
