const causes =
  /, so\b|\b(?:because|since|so that|now that|therefore|due to|(?:which|this) means|the (?:issue|problem|bug|reason|cause)|instead of|(?<!\bI (?:also |now |still |just )?)(?:need(?:s|ed)?|should|must)|otherwise|would (?:make|break|cause|fail|mean|drop|lose)|avoid|prevent|ensure|(?<!\b(?:let me|need to|i'll|going to|want to) (?:also |now |just )?)fix(?:es|ed)?|missing|wrong|fail(?:s|ed|ing)?|better|broken|crash|race|leak|rather than|too \w+|reduc(?:e|es|ing)|unused|unnecessar(?:y|ily)|duplicat(?:e|es|ed|ion)|conflicts?|mismatch|inconsistent)\b/i;
/** True if text explicitly gives a reason. An announcement of the agent's next action is not a reason. */
export const hasCause = (text: string): boolean => causes.test(text);

const narration =
  /^(?:now|next|let me|let's|i'll|i will|i (?:also )?need to|i should|okay|ok|great|good|perfect|first|then|now let me|time to)\b/i;
const looking =
  /\b(?:let me|let's|i'll|i will|i need to|i should|i want to)\b(?! (?:also |now |just |then )?(?:add|change|create|extend|implement|make|move|remove|replace|update|use|write)\b)[^.!?]{0,40}?\b(?:check|look|read|see|understand|verify|explore|find|run|examine|search|continue|review|trace)\b/i;
/**
 * True if a sentence only announces reading or trying something. False for "I should add a test to verify that", which
 * states a purpose.
 */
export const isLooking = (sentence: string): boolean => looking.test(sentence);

const making =
  /\b(?:add|change|clean up|convert|create|extend|extract|fix|implement|make|move|refactor|remove|rename|replace|rewrite|simplify|split|update|use|write)\b/i;
export const announcesChange = (text: string): boolean => making.test(text) && !isLooking(text);

/** True if an agent only repeats what the user said. */
export const isRestated = (text: string): boolean =>
  /^the user (?:wants|is asking|asks|asked|said|says|would like|has asked|mentioned)\b/i.test(text);

const organizing =
  /\b(?:us(?:e|ing)|invok(?:e|ing)|follow(?:ing)?) (?:the |my )?[`\w:-]+ skill\b|\bworktree set-?up\b|\b(?:re-?read|execut(?:e|ing)) the plan\b|\bset up tracking\b|\bdispatch\w*\b[^.]{0,60}\b(?:sub-?)?agents?\b|\b(?:us(?:e|ing)|with|start|launch|spawn)\b[^.]{0,30}\bsub-?agents?\b|\btasks? [\d–, and-]+(?:is |are )?(?:now )?(?:complete|done|finished)\b|\b(?:moving|move|proceed\w*|on) (?:on )?to task \d|\b(?:first|second|third|next|last|both|two) (?:two )?todos?\b|\b(?:mark|updat)(?:e|ing)?\b[^.]{0,40}\b(?:todos?|todo list|as (?:completed?|done|in progress))\b/i;
const reporting =
  /\b(?:tests?|lint(?:er|ing)?|build|compilation|everything|all)\b[^.]{0,30}\b(?:pass(?:es|ed|ing)?|clean|succe(?:eds|eded|ssful)|green)\b|\b(?:it|this|code) (?:now )?compile[sd]\b|\bdiagnostics?\b[^.]*\b(?:stale|spurious|pre-existing|unrelated)\b/i;
/**
 * True if a sentence is about how the agent works (such as skills, plans, tasks or other agents), or if it only reports
 * a successful check.
 */
export const isProcess = (sentence: string): boolean =>
  organizing.test(sentence) || (reporting.test(sentence) && !hasCause(sentence));

/** True if the text is about how the agent works and contains little else. */
export function isProcessOnly(text: string): boolean {
  const sentences = splitSentences(text);
  const told = sentences.filter((sentence) => !isProcess(sentence));
  return told.length < sentences.length && told.join(" ").length < 2 * toldAtLeast;
}

const declaration =
  /\b(?:func|function|def|fn|class|interface|type|struct|enum|trait)\s+(?:\([^)]*\)\s*)?([\p{L}_]\w{3,})|\b(?:const|let|var)\s+([\p{L}_]\w{3,})\s*=\s*(?:async\b|function\b|\()/gu;
/** Returns the functions, types and tests that code declares. */
export const declaredNames = (code: string): string[] =>
  [...code.matchAll(declaration)].flatMap(([, one, other]) => one ?? other ?? []);

const testNames = /\b(?:Test[A-Z]\w+|test_\w+)/g;
/** True if a sentence names tests, but none of the given ones. */
export function namesOtherTest(sentence: string, names: readonly string[]): boolean {
  const tests = sentence.match(testNames);
  return tests !== null && !tests.some((test) => names.includes(test));
}

const stopWords = new Set(
  `a an and are as at be but by can do does for from has have if in into is it its not of on or so that the then there this to
  was we what when which will with you your i he she they me my our just now also here use used using let make
  function func const var let return if else for while class struct type interface import export package public private
  static void int string bool true false null nil none self this new def async await try catch throw err error test expect`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Returns the stemmed words of the text, including the parts of identifiers. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [name] of text.slice(0, 40_000).matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) {
    const parts = name.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    for (const part of parts.length > 1 ? [name, ...parts] : [name]) {
      const word = stem(part.toLowerCase());
      if (word.length > 2 && !stopWords.has(part.toLowerCase()) && !stopWords.has(word)) words.add(word);
    }
  }
  return words;
}

const stem = (word: string): string =>
  word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, "") : word.replace(/s$/, "");

export type Idf = (word: string) => number;

export function inverseFrequency(texts: readonly ReadonlySet<string>[]): Idf {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + texts.length / (1 + (counts.get(word) ?? 0)));
}

/**
 * A full stop after a list number or in an abbreviation does not end a sentence. In agents' thoughts, the space after a
 * full stop is often missing.
 */
const ends =
  /(?<=[.!?:])(?<!(?:^|[\s(:])(?:\d{1,2}|e\.g|i\.e|vs|cf)\.)(?:\s+|(?=(?:Let me|Now|Looking|Actually|I|I'll|This|The|But|So|Wait)[ ,]))|\n+/;

export const splitSentences = (text: string): string[] =>
  text.split(ends).filter((sentence) => sentence.trim() !== "");

const chatter =
  /^(?:(?:good|great|perfect|excellent|okay|ok|nice|alright|right|hmm|oh|ah|i see|got it|makes sense|exactly|good (?:point|catch|call|question|idea)|you're (?:absolutely )?right)(?:\s*[,.!:—–]+\s*|\s+-\s+|$))+/i;
/** Removes interjections from the beginning of a sentence. Empty if the sentence contains nothing else. */
export function withoutChatter(sentence: string): string {
  const rest = sentence.replace(chatter, "");
  if (rest === sentence || !/[\p{L}\p{N}]/u.test(rest)) return rest === sentence ? sentence : "";
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

export const isItem = (sentence: string): boolean => /^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(sentence);

/** True if an agent suggests something to the user. */
export const isOffer = (sentence: string): boolean =>
  /\b(?:want me to|shall i|should (?:i|we)|would you like|i(?:'d| would)|recommend\w*|suggest\w*|propos\w*|(?:simplest|best|cleanest) (?:fix|way|approach|option))\b/i.test(
    sentence,
  );

/** True if a sentence retracts the one before it. */
export const isRetraction = (sentence: string): boolean =>
  /^(?:but )?(?:actually|wait|hmm|hold on|no,|on second thought|scratch that)\b/i.test(sentence.trim());

const narrated = 200;
const toldAtLeast = 40;

/** True if text begins by announcing the agent's next action. */
export const isAnnouncement = (text: string): boolean => narration.test(text);

/** True if text only announces the agent's next action. */
export function isNarration(text: string): boolean {
  if (text.length >= 2 * narrated) return false;
  if (isAnnouncement(text) && text.length < narrated && !hasCause(text)) return true;
  const told = splitSentences(text).filter((sentence) => !isLooking(sentence));
  return told.join(" ").length < Math.min(toldAtLeast, text.length);
}
