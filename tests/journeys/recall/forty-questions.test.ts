import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { repositoryOf } from "../../support/git/repository.ts";
import { fortyQuestions } from "../../support/recall/forty-questions.ts";
import { openShop } from "../../support/recall/shop.ts";
import { storageSettings } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

const nothingKnown = "Nothing recorded in this project is about this question.";

/** Returns texts that an answer contains more than once. Only fields named `text` count. */
function repeatedIn(answer: object): string[] {
  const texts: string[] = [];
  JSON.stringify(answer, (key, value) => {
    if (key === "text") texts.push(String(value).toLowerCase().replaceAll(/\W+/g, " ").trim());
    return value;
  });
  return texts.filter((text, at) => texts.some((other, n) => n !== at && other.includes(text)));
}

test("for forty questions, the first part of a 2,000-character answer contains the facts", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const unanswered: string[] = [];
  for (const { question, lead, facts, marks = [], without = [], notAbove, file } of fortyQuestions) {
    const asked = { question, ...(file !== undefined && { file }), max_chars: 2_000 };
    const answer = await client.call("recall", asked);
    const { question: _asked, known, note, missing, ...told } = answer;
    expect(answer["budget"].used_chars, question).toBeLessThanOrEqual(2_000);
    const [part = ""] = Object.keys(told);
    const first = JSON.stringify({ missing, [part]: told[part] }).toLowerCase();
    const placeOf = (text: string) => first.indexOf(text.toLowerCase());
    const unmarked = marks.filter((mark) => !JSON.stringify(told).includes(mark));
    const missed = [...facts.filter((fact) => placeOf(fact) < 0), ...unmarked];
    const extra = without.filter((name) => name in told);
    const misleading = notAbove === undefined ? -1 : placeOf(notAbove);
    const isMisled = misleading >= 0 && misleading < placeOf(facts[0] ?? "");
    const isKnown = facts.length > 0;
    expect(note, question).toBe(isKnown ? undefined : nothingKnown);
    if (part !== lead || isMisled || missed.length + extra.length > 0 || known !== isKnown)
      unanswered.push(`${question}: ${missed} ${extra} in ${JSON.stringify(told)}`);
    expect(repeatedIn(told), question).toEqual([]);
  }
  expect(unanswered).toEqual([]);
  expect(fortyQuestions).toHaveLength(40);
});

test("both databases give identical answers, and so does the same store when asked again", async () => {
  const first = createTestApp({ backend: "fs" });
  const client = first.modern();
  const { repository } = await openShop(first, client);
  const dataDir = join(tempDir(), "data");
  cpSync(repository.directory, repositoryOf({ dataDir }), { recursive: true });
  const other = createTestApp({ backend: "postgres", dataDir }).modern();
  const file = join(tempDir(), "shop.jsonl");
  for (const [typed, storage, at] of [
    [`dump ${file}`, "fs", first.dataDir],
    [`restore ${file}`, "postgres", dataDir],
  ] as const) {
    const env = storageSettings(storage, at);
    expect(await runCommand(`thoughtbox ${typed}`, { dataDir: at, env })).toMatchObject({ code: 0 });
  }
  for (const { question, file: named } of fortyQuestions) {
    const asked = { question, ...(named !== undefined && { file: named }), max_chars: 2_000 };
    const one = JSON.stringify(await client.call("recall", asked));
    expect(JSON.stringify(await client.call("recall", asked)), question).toBe(one);
    expect(JSON.stringify(await other.call("recall", asked)), question).toBe(one);
  }
}, 120_000);
