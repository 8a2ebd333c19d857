import type { RemarkKind } from "./remarks.ts";

const gaveUp =
  /\b(?:ruled out|dead end|(?:we|I) (?:gave|give) up on|gave up on|not an option|decided against|not worth (?:it|the)|(?:we|I) (?:rejected|abandoned)|user rejected|(?:was|were|is) (?:rejected|abandoned) (?:because|as|since|by))/i;
const failed =
  /(?<!\bstill )\b(?:(?:does|did)(?:n['’]t| not)(?: \w+)? (?:work|help|fix|solve)|do(?:n['’]t| not)(?: \w+)? (?:work|help))\b/i;
const decided =
  /\b(?:decided (?:not to|to|on|that)|(?<=^|[.!?] )decision: |the decision (?:is|was) (?:to|that)\b|we(?:['’]ll| will) (?:use|keep|go with)|(?:we|I)(?:['’]re| are|['’]m)? going with|(?:we|I) (?:went with|chose|settled on)|settled on|root cause (?:is|was) (?!(?:now |still |not )?(?:well|clear|known|unknown|understood|unclear|likely|probably)\b)|(?:the|real|actual) cause (?:is|was)|(?:the|key|right|proper|correct|simplest|real) fix (?:is|was) (?:(?:simply|just|not|also|therefore) )?(?:to|that|(?!(?:work|pass|miss|fail|go|be|land|runn)ing\b)\w+ing)\b|(?:was|is|were) fixed by)/i;
const unsettled =
  /\b(?:still (?:open|unclear|unknown|to do|unresolved)|remains? (?:unclear|unresolved|to be)|(?:question|issue|point)s? remains? open|open question|not (?:yet )?finished|left (?:undone|unfinished|for later))\b|\bTODO\b(?=[:(])/;

/** An agent's announcement of its next call. It is of no use to later sessions. */
const narration =
  /^(?:now|next|first|then|okay|ok|so|also|good|great|perfect|hmm|wait|actually)?[,.!:—– ]*(?:let me|let['’]s|let us|I['’]ll|I will|I need to|I should|I['’]m going to|I can see|I see|looking at)\b/i;
/** An agent's thoughts about the conversation. */
const aboutUser =
  /^(?:so )?the user(?:['’]s)? (?:question is|is|wants me|asked me|has asked|hasn['’]t|seems|said|says|confirmed|wants to know|pointed)\b|^(?:do you want|want|would you like) me to\b|^(?:should|shall) i\b|^here(?:['’]s| is)\b.*:$/i;
export const isStep = (sentence: string): boolean =>
  narration.test(sentence) ||
  aboutUser.test(sentence) ||
  /^(?:good(?: catch| point| question| observation)?|great|perfect|excellent|okay|ok|oh no|looks good|done|wait|all (?:\w+ )?tests (?:now )?pass(?:ed|ing)?(?: now)?|(?:good|great|ok(?:ay)?|now)?[,.]? ?i (?:now )?(?:have|understand|see)\b[^,;:]{0,40})[.!,]*$/i.test(
    sentence,
  );
/** The beginning of a sentence about the agent's own commands and attempts, not about the work. */
const toolTalk =
  /^(?:the|this|that|my|first|previous|last)? ?(?:\w+ ){0,2}(?:command|edit|sed|grep|heredoc|regex|path|call|search|query|attempt|replacement)\b|^(?:but |so |and )?my (?:\w+ )?(?:test|fix|change|approach)\b/i;
/** Words that introduce a reason. A claim with a reason ranks higher. */
const reasons = /\b(?:because|since|so that|instead of|rather than|due to|as it|otherwise)\b/i;

/** Returns the kind of remark that a sentence makes. `undefined` if the sentence states nothing lasting. */
export function kindOfSentence(text: string, by: "user" | "agent"): RemarkKind | undefined {
  // A user's question does not count as open, because the agent answers it.
  if (text.endsWith("?")) return by === "agent" && /\bopen question\b/i.test(text) ? "open" : undefined;
  if (narration.test(text) || aboutUser.test(text) || isFragment(text)) return undefined;
  if (/^(?:if|when|unless|whether)\b/i.test(text)) return undefined;
  if (undecided.test(text)) return by === "agent" && unsettled.test(text) ? "open" : undefined;
  if (gaveUp.test(text)) return "rejected";
  // A user who reports a failure has not rejected anything. An agent that explains a failure has not rejected
  // anything either.
  if (failed.test(text) && (by === "user" || explains.test(text))) return undefined;
  if (failed.test(text) && !describes.test(text))
    return toolTalk.test(text) && !reasons.test(text) ? undefined : "rejected";
  if (decided.test(withoutQuotes(text))) return "decided";
  return by === "agent" && unsettled.test(text) ? "open" : undefined;
}

/** Removes quotations, which contain someone else's words or a program's output. */
const withoutQuotes = (text: string): string => text.replaceAll(/"[^"]*"|“[^”]*”/g, "…");

/** Options and guesses, which are not decisions. */
const undecided =
  /\beither\b.*\bor\b|\b(?:is|was|to) either\b|^(?:I think|maybe|perhaps|probably|possibly)\b/i;

/** A description of a defect. Such a sentence rejects nothing. */
const describes =
  /^(?:the |another |one )?(?:(?:real|actual|main|root|underlying) )?(?:issue|problem|bug|error|cause) (?:is|was)\b/i;

/** An explanation of a defect, or a search for its cause. Such a sentence rejects nothing. */
const explains =
  /\b(?:explains?|wondering|see|find out|understand|figure out|reason) (?:why|how)\b|\b(?:fix|solve) the\b.* case\b/i;

/** True for a heading, an introduction to a list, or a completion notice. */
const isFragment = (text: string): boolean =>
  /[:;](?:\s*\d+\.?)?$|\b(?:ready|in place|complete|done|working)[.!]?$/i.test(text) ||
  text.split(/\s+/).length < fewestWords;
const fewestWords = 4;

/** True for a terminal session, log or commit that a user pasted. The words are not the user's own. */
export const isPasted = (text: string): boolean =>
  /[❯⏺⎿]|\bcommit [0-9a-f]{40}\b|^\s*(?:\$ \S|at \S+\(|Traceback |Error: |--- (?:FAIL|PASS): )/mu.test(text);

const longestCorrection = 600;

/** True if a user's message is useful to later agents, and not only to the current one. */
export function isLastingCorrection(text: string): boolean {
  const said = text.trim();
  if (said.length > longestCorrection || isPasted(said)) return false;
  if (/^(?:open|create|switch|check ?out|rebase|merge)\b.*\b(?:branch|main|PR|pull request)\b/i.test(said))
    return false;
  if (isRemarkless(said)) return false;
  if (/^(?:ok(?:ay)?|yes|yeah|sure|great|thanks|continue|go on|proceed|commit|push|merge)\b/i.test(said))
    return false;
  if (
    /^(?:can|could|would|will) you\b|^(?:can|could|should) we\b|^implement the following plan\b/i.test(said)
  )
    return false;
  if (momentary.test(said) || !lasting.test(said)) return false;
  if (/^no\b/i.test(said) && !forGood.test(said)) return false;
  return !/^`[^`]*` was refused by the user\.$|\b(?:commit|push)(?: it| this)?[.!]?$/i.test(said);
}

/** True for a question, a few words, or a client's standard text. None of these is a remark. */
const isRemarkless = (said: string): boolean =>
  said.endsWith("?") ||
  said.split(/\s+/).length < fewestWords ||
  /^the user wants to clarify these questions\b/i.test(said);

/** True if the user's reason for refusing an action is useful to the next agent. */
export const isTellingRefusal = (said: string): boolean =>
  !isPasted(said) && !isRemarkless(said.trim()) && !momentary.test(said.trim());

/** What a person wants, or does not want, from now on. */
const lasting =
  /\b(?:never|always|don['’]?t|do not|must|should|shouldn['’]?t|prefer|instead|rather|only|no longer|wrong|right|not (?:a|an|as|the|in|on|to))\b/i;

/**
 * Words that forbid something for good. An answer that begins with "no" but contains none of these words is
 * only about the agent's last message.
 */
const forGood = /\b(?:never|always|don['’]?t|do not|must)\b/i;
export const forbids = (said: string): boolean => forGood.test(said);

/** Instructions for the next call, and comments on the last one. */
const momentary =
  /^(?:and|or|huh|hmm|i['’]ll|i will|i(?: just)? \w+ed|if we['’]re going to|still \w+ing)\b|^let['’]?s (?:just )?(?:check|commit|create|cut|do|drop|fetch|go|leave|make|merge|move|open|push|rebase|remove|see|skip|start|try)\b|^(?:do|fix|commit|push) (?:it|this|that|them)\b|^(?:no[,.]? )?(?:that|this|it)(?:['’]s| is| was) (?:wrong|not (?:right|correct|true))\b|^(?:no[,.]? )?(?:pull|fetch|run|show|exit|update the|check|look|read|write|open|undo|revert|rebase|ignore|try)\b|\b(?:try again|you just|take it from here|for now|just continue|it seems|(?:isn|doesn)['’]t (?:really )?work(?:ing)?)\b/i;

/** Returns the subject of a plan that the user told the agent to implement. */
export function planSubject(text: string): string | undefined {
  if (!/^implement the following plan\b/i.test(text.trim())) return undefined;
  const heading = /^#+ +(?:plan: *)?(.{8,160})$/im.exec(text)?.[1]?.trim();
  return heading && `Implement this plan: ${heading}`;
}

/** True if a text gives a reason. Among claims from the same day, those with a reason rank first. */
export const hasReason = (text: string): boolean => reasons.test(text);
