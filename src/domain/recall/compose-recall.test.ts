import { describe, expect, test } from "vitest";
import { readIntent } from "./compose-recall.ts";

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}./]+/gu) ?? [];

describe("the words of a question that only ask", () => {
  test.each([
    ["how long do requests wait", ["do", "requests", "wait"]],
    ["how often are failed payments retried", ["are", "failed", "payments", "retried"]],
    ["how does product search work", ["how", "does", "product", "search"]],
    ["did exponential backoff work for payments", ["did", "exponential", "backoff", "for", "payments"]],
    ["may I delete invoices", ["delete", "invoices"]],
    ["what was asked for about old invoices", ["what", "was", "about", "old", "invoices"]],
    ["does the login work in Safari", ["does", "the", "login", "work", "in", "Safari"]],
    ["why is src/invoices.ts written like this", ["is", "invoices"]],
  ])("%s", (question, about) => {
    expect(wordsOf(readIntent(question).about)).toEqual(about);
  });

  test("a question about what failed asks for dead ends and names nothing else", () => {
    expect(readIntent("what did we try that failed")).toEqual({ about: "", kinds: new Set(["rejected"]) });
  });

  test("a question about this file is about the file that is named", () => {
    expect(readIntent("why does this file exist", "src/invoices.ts").about).toBe("invoices");
    expect(readIntent("why does this file exist").about).toBe("why does this file exist");
  });
});
