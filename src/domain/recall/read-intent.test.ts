import { describe, expect, test } from "vitest";
import { isAboutUnknown, namingWords, readIntent } from "./read-intent.ts";

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}./]+/gu) ?? [];

describe("reading the intent of a question", () => {
  test.each([
    ["how long do requests wait", ["do", "requests", "wait"]],
    ["how often are failed payments retried", ["are", "failed", "payments", "retried"]],
    ["how does product search work", ["how", "does", "product", "search"]],
    ["did exponential backoff work for payments", ["did", "exponential", "backoff", "for", "payments"]],
    ["may I delete invoices", ["delete", "invoices"]],
    ["what was asked for about old invoices", ["what", "was", "about", "old", "invoices"]],
    ["does the login work in Safari", ["does", "the", "login", "work", "in", "Safari"]],
    ["why is src/invoices.ts written like this", ["is", "invoices"]],
    ["why is src/pool.ts structured this way", ["is", "pool"]],
    ["is the size of the pool correct", ["is", "the", "size", "of", "the", "pool", "correct"]],
  ])("%s", (question, about) => {
    expect(wordsOf(readIntent(question).about)).toEqual(about);
  });

  test("finds no subject in a question about what failed or was corrected", () => {
    const asked = { about: "", kinds: new Set(["rejected"]), only: true };
    expect(readIntent("what did we try that failed")).toEqual(asked);
    const corrected = { about: "", kinds: new Set(["corrected"]), only: true };
    expect(readIntent("what did the user correct")).toEqual(corrected);
  });

  test("takes the named file as the subject of a question about this file", () => {
    expect(readIntent("why does this file exist", "src/invoices.ts").about).toBe("invoices");
    expect(readIntent("why does this file exist").about).toBe("why does this file exist");
  });

  test("recognises whether it asks for a reason, a request or permission", () => {
    expect(readIntent("why not redis").wants).toBe("reason");
    expect(readIntent("what was asked for about invoices").wants).toBe("request");
    expect(readIntent("may I delete invoices").wants).toBe("permission");
    expect(readIntent("how can I delete invoices").wants).toBeUndefined();
    expect(readIntent("does the decision about the pool still apply")).toMatchObject({ only: true });
    expect(readIntent("what did we decide about the pool")).toMatchObject({ only: false });
  });

  test("does not report verbs and times as missing words", () => {
    expect(
      namingWords("can I raise the pool twice for the certificate", ["raise", "twice", "certificate"]),
    ).toEqual(["certificate"]);
    const time = ["0000", "01", "01T00", "00Z", "pool"];
    expect(namingWords("the pool since 0000-01-01T00:00Z", time)).toEqual(["0000", "pool"]);
  });

  test("does not treat a subject as unknown because of a time", () => {
    const question = "the pool since 2026-01-01T00:00:00Z";
    expect(isAboutUnknown(question, readIntent(question), ["2026", "01", "01T00", "00", "00Z"])).toBe(false);
    const other = "is the pool certificate expired";
    expect(isAboutUnknown(other, readIntent(other), ["certificate", "expired"])).toBe(true);
  });
});
