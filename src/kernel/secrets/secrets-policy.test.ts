import { expect, test } from "vitest";
import { createSecretsPolicy, isSameButSecrets, maskForExport } from "./secrets-policy.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;
const text = `the key is ${secret}`;
const masked = "the key is [secret:github-token]";

test("warn stores the original, reports where the secret is, and masks it in answers", () => {
  const policy = createSecretsPolicy("warn");
  expect(policy.forInput(text)).toEqual({
    stored: text,
    places: ["github-token at character 11"],
    isMasked: false,
  });
  expect(policy.forAnswer({ notes: [text] })).toEqual({ notes: [masked] });
});

test("redact stores the masked text, however deep the secret is", () => {
  const policy = createSecretsPolicy("redact");
  expect(policy.forInput({ notes: [{ text }] })).toEqual({
    stored: { notes: [{ text: masked }] },
    places: ["github-token in notes[0].text at character 11"],
    isMasked: true,
  });
  expect(policy.forInput("nothing of the kind")).toMatchObject({ places: [], isMasked: false });
});

test("off checks nothing, but data for export is still masked", () => {
  const policy = createSecretsPolicy("off");
  expect(policy.forInput(text)).toEqual({ stored: text, places: [], isMasked: false });
  expect(policy.forAnswer(text)).toBe(text);
  expect(maskForExport(text)).toBe(masked);
  expect(maskForExport({ data: [text] })).toEqual({ data: [masked] });
});

test("two texts are the same if they differ only in the mask", () => {
  expect(isSameButSecrets(text, masked)).toBe(true);
  expect(isSameButSecrets(text, `${masked}!`)).toBe(false);
});
