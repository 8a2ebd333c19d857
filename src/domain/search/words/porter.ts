/**
 * Stems a word with Porter's algorithm (1980), which works on UTF-8 bytes. Every byte of a non-ASCII
 * character counts as a consonant.
 */
export function stem(word: string): string {
  if (isAscii.test(word)) return stemBytes(word);
  // Returns early for words in other scripts, because every suffix is ASCII.
  if (!hasEnding.test(word)) return word;
  const bytes = encoder.encode(word);
  if (bytes.length < shortest || bytes.length > longest) return word;
  const stemmed = stemBytes(String.fromCharCode(...bytes));
  return decoder.decode(Uint8Array.from(stemmed, (byte) => byte.charCodeAt(0)));
}

/** Caches up to `maxKept` stems. */
export function createStemmer(maxKept = 20_000): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    let stemmed = known.get(word);
    if (stemmed === undefined) {
      if (known.size >= maxKept) known.clear();
      stemmed = stem(word);
      known.set(word, stemmed);
    }
    return stemmed;
  };
}

const isAscii = /^[\0-\x7f]*$/;
const hasEnding = /[a-z]$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const [shortest, longest] = [3, 64];

function stemBytes(word: string): string {
  if (word.length < shortest || word.length > longest) return word;
  let stemmed = dropPlural(word);
  stemmed = dropPast(stemmed);
  if (stemmed.endsWith("y") && hasVowel(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaceEnding(stemmed, doubleEndings, 0);
  stemmed = replaceEnding(stemmed, singleEndings, 0);
  stemmed = replaceEnding(stemmed, lastEndings, 1);
  return dropFinal(stemmed);
}

const isVowel = (letter: string | undefined, afterConsonant: boolean): boolean =>
  letter === "a" ||
  letter === "e" ||
  letter === "i" ||
  letter === "o" ||
  letter === "u" ||
  (letter === "y" && afterConsonant);

/** Counts how many times a consonant follows a vowel. Stops at 2, because no rule needs more. */
function measure(text: string): number {
  let count = 0;
  let [wasConsonant, afterVowel] = [false, false];
  for (const letter of text) {
    const vowel = isVowel(letter, wasConsonant);
    if (afterVowel && !vowel) count += 1;
    if (count === 2) return 2;
    [wasConsonant, afterVowel] = [!vowel, vowel];
  }
  return count;
}

function hasVowel(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (isVowel(text[at], at > 0)) return true;
  return false;
}

/**
 * True if the text ends in a consonant, a vowel and a consonant, and the last letter is not w, x or y: "hop",
 * but not "hoop" or "how".
 */
function endsShort(text: string): boolean {
  if (text.length < 3 || /[wxy]$/.test(text)) return false;
  const consonants: boolean[] = [];
  for (const letter of text) consonants.push(!isVowel(letter, consonants.at(-1) ?? false));
  const [first, second, third] = consonants.slice(-3);
  return first === true && second === false && third === true;
}

function dropPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss")) return word;
  const longEnding = (word.length > 4 && word.endsWith("sses")) || (word.length > 3 && word.endsWith("ies"));
  return word.slice(0, longEnding ? -2 : -1);
}

function dropPast(word: string): string {
  if (word.length > 3 && word.endsWith("eed"))
    return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  for (const ending of ["ed", "ing"]) {
    const rest = word.slice(0, -ending.length);
    if (word.endsWith(ending) && rest !== "" && hasVowel(rest)) return repairPast(rest);
  }
  return word;
}

function repairPast(word: string): string {
  if (word.length > 2 && /(?:at|bl|iz)$/.test(word)) return `${word}e`;
  const last = word.at(-1);
  if (last === word.at(-2) && !isVowel(last, false) && !/[lsz]$/.test(word)) return word.slice(0, -1);
  return measure(word) === 1 && endsShort(word) ? `${word}e` : word;
}

type Ending = readonly [ending: string, replacement: string];

/** Considers only the longest matching ending, even if the rest is too short for a replacement. */
function replaceEnding(word: string, endings: readonly Ending[], atLeast: 0 | 1): string {
  for (const [ending, replacement] of endings) {
    if (word.length <= ending.length || !word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    if (measure(rest) <= atLeast || (ending === "ion" && !/[st]$/.test(rest))) return word;
    return rest + replacement;
  }
  return word;
}

const longestFirst = (endings: Ending[]): readonly Ending[] =>
  endings.sort(([a], [b]) => b.length - a.length);

const doubleEndings = longestFirst([
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["logi", "log"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
]);

const singleEndings = longestFirst([
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
]);

const lastEndings = longestFirst(
  "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
    .split(" ")
    .map((ending): Ending => [ending, ""]),
);

function dropFinal(word: string): string {
  let rest = word;
  if (rest.endsWith("e")) {
    const before = rest.slice(0, -1);
    const size = measure(before);
    if (size > 1 || (size === 1 && !endsShort(before))) rest = before;
  }
  return rest.endsWith("ll") && measure(rest.slice(0, -1)) > 1 ? rest.slice(0, -1) : rest;
}
