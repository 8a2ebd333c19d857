import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stem } from "../../src/domain/search/words/porter.ts";
import { foldWord, toStems, wordsIn } from "../../src/domain/search/words/words.ts";
import { loadDriver } from "../../src/storage/sqlite/connection/driver.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import fc from "../support/fast-check.ts";
import { findWords, startSession, think } from "../support/ledger.ts";
import { noon, openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Returns the words that the index extracts from each text, in order. */
function indexedWords(tokenizer: string, texts: readonly string[]): string[][] {
  const { DatabaseSync } = loadDriver();
  const db = new DatabaseSync(":memory:", {});
  onTestFinished(() => db.close());
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = '${tokenizer}');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab (texts, instance); BEGIN`);
  const insert = db.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  for (const [n, text] of texts.entries()) insert.run(n + 1, text);
  db.exec("COMMIT");
  const words: string[][] = texts.map(() => []);
  for (const row of db.prepare("SELECT doc, term FROM vocabulary ORDER BY doc, offset").all())
    words[Number(row["doc"]) - 1]?.push(String(row["term"]));
  return words;
}

/** Returns English words from our own prose. */
function proseWords(): string[] {
  const root = join(import.meta.dirname, "..", "..");
  const files = ["content/mental-models", "docs/decisions", "docs/guide"].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      name.endsWith(".md") ? [join(root, folder, name)] : [],
    ),
  );
  return files.flatMap((file) => [...wordsIn(readFileSync(file, "utf8"))].map(({ word }) => word));
}

const endings =
  `s es ies sses ss ed eed ing ings at ated ating bl bled iz izing y ly ational tional enci anci izer logi
  bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti
  ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e le ll`.split(
    /\s+/,
  );

test("stems are the same as those of SQLite's stemmer", () => {
  const roots = "a b ab ba y yy ay by tr tree trou oat hop hopp fall fizz o ee x oxy bay 1 v2 ж é日".split(
    " ",
  );
  const made = roots.flatMap((root) =>
    endings.flatMap((one) => [root + one, ...endings.map((other) => root + one + other)]),
  );
  const random = fc.sample(
    fc.string({ unit: fc.constantFrom(..."aeioubdlnstyz"), minLength: 1, maxLength: 12 }),
    {
      numRuns: 5_000,
      seed: 1,
    },
  );
  const words = [...new Set([...proseWords(), ...made, ...random].map(foldWord))].filter(
    (word) => /^[\p{L}\p{N}]+$/u.test(word) && !/\p{Lo}/u.test(word),
  );
  expect(words.length).toBeGreaterThan(30_000);
  const expected = indexedWords("porter unicode61", words).map((found) => found.join(" "));
  const different = words.flatMap((word, n) =>
    stem(word) === expected[n] ? [] : [[word, stem(word), expected[n]]],
  );
  expect(different).toEqual([]);
});

test("the index stores stems unchanged, in every script", () => {
  const texts: string[] = [];
  for (let code = 1; code < 0x2_0000; code += 1)
    if (code < 0xd800 || code > 0xdfff) texts.push(`q${String.fromCodePoint(code)}Q running`);
  const given = texts.map((text) => toStems(text));
  const found = indexedWords("ascii", given).map((words) => words.join(" "));
  expect(found.length).toBeGreaterThan(120_000);
  expect(given.filter((stems, n) => stems !== found[n])).toEqual([]);
});

test("an erased session leaves no words in the index", async () => {
  const directory = join(tempDir(), "data");
  const { ledger, trash, close } = openStore("fs", { directory });
  const [erased, kept] = [await startSession(ledger), await startSession(ledger)];
  await think(ledger, erased, { thought: "a secret platypus" });
  const { entry } = await think(ledger, kept, { thought: "a platypus" });
  expect((await findWords(ledger, "platypus")).hits).toHaveLength(2);
  await ledger.deleteSession(erased, noon);
  await trash.emptyTrash();
  await close();
  const db = openRaw(directory);
  onTestFinished(() => db.close());
  expect(db.prepare("SELECT id FROM text_words_docsize").all()).toEqual([{ id: entry.seq }]);
});
