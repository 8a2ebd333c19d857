import { expect, test } from "vitest";
import { madeUpSecrets } from "./made-up-secrets.testing.ts";
import { longRun } from "./secret-shape.ts";
import { secretShapes, vendorShapes } from "./secret-shapes.ts";
import { findSecrets } from "./secrets.ts";
import { typedShapes } from "./typed-shapes.ts";

const shapes = [...secretShapes, ...typedShapes, ...vendorShapes];

test("a second masking leaves the names of kinds unchanged", () => {
  for (const { kind } of shapes) expect(findSecrets(`token=[secret:${kind}]`)).toEqual([]);
});

test("patterns are global and start at the beginning", () => {
  for (const { pattern } of shapes) {
    expect(pattern.global).toBe(true);
    expect(pattern.lastIndex).toBe(0);
  }
});

test("secrets that are not loose match a long run, down to the shortest", () => {
  const loose = new Set(shapes.filter(({ isLoose }) => isLoose).map(({ kind }) => kind));
  for (const [kind, secret] of madeUpSecrets) if (!loose.has(kind)) expect(secret).toMatch(longRun);
  expect(findSecrets("it is xoxb-123456789a, in short").map(({ kind }) => kind)).toEqual(["slack-token"]);
});

test("every match of a pattern contains the pattern's marker", () => {
  for (const [, secret] of madeUpSecrets)
    for (const { pattern, mark, isLoose } of shapes)
      for (const [found] of `it is ${secret}@example.org`.matchAll(pattern))
        expect(found).toMatch(new RegExp(mark, isLoose ? "i" : ""));
});

test("finds a secret between words, whatever the white space", () => {
  for (const blank of [" ", "\n", "\t", "\u00a0", "\u2028"])
    expect(findSecrets(`a few words${blank}AKIAIOSFODNN7EXAMPLE${blank}and more`)).toHaveLength(1);
});

// A quadratic scan of a mebibyte would take minutes and exceed the test's timeout. A linear scan takes
// milliseconds.
test.each([
  "sk-",
  "eyJ.eyJ.",
  "eyJ",
  "eyJaaaaaa.",
  "eyJaaaaaa.eyJaaaaaa.!",
  "password:password:",
  "password:",
  "password = ",
  "password=&",
  "token:1.",
  "token:t-",
  "Bearer ",
  "Bearer a1-",
  "ghp_",
  "gh",
  "github_pat_",
  "AKIA",
  "xoxb-",
  "AIza",
  "0123456789:AA",
  "aaaaaaaaaaaaaa.atlasv1.",
  "M.aaaaaa.",
  "Maaaaaaaaaaaaaaaaaaaaaaa.aaaaaa.",
  "dp.pt.",
  "glpat-",
  "key-",
  "SK0",
  "gsk_",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrst",
  "-----BEGIN ",
  "-",
  "- a",
  "A",
  " ",
  "\\n",
])("scans a mebibyte of %j", (unit) => {
  const size = 1_048_576;
  findSecrets(unit.repeat(size / unit.length));
  findSecrets(`-----BEGIN PRIVATE KEY-----${unit.repeat(size / unit.length)}`);
  findSecrets(`password="${unit.repeat(size / unit.length)}`);
});
