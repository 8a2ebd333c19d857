import { expect, test } from "vitest";
import { createSecretsPolicy, isSameButSecrets, maskForExport } from "./secrets-policy.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;
const text = `the key is ${secret}`;
const masked = "the key is [secret:github-token]";

test("warn stores what was written, reports where the secret is, and shows it to no one", () => {
  const policy = createSecretsPolicy("warn");
  expect(policy.forInput(text)).toEqual({
    stored: text,
    places: ["github-token at character 11"],
    isMasked: false,
  });
  expect(policy.forAnswer({ notes: [text] })).toEqual({ notes: [masked] });
});

test("redact stores the mask, however deep the secret is", () => {
  const policy = createSecretsPolicy("redact");
  expect(policy.forInput({ notes: [{ text }] })).toEqual({
    stored: { notes: [{ text: masked }] },
    places: ["github-token in notes[0].text at character 11"],
    isMasked: true,
  });
  expect(policy.forInput("nothing of the kind")).toMatchObject({ places: [], isMasked: false });
});

test("off checks nothing, but what is sent to others is masked anyway", () => {
  const policy = createSecretsPolicy("off");
  expect(policy.forInput(text)).toEqual({ stored: text, places: [], isMasked: false });
  expect(policy.forAnswer(text)).toBe(text);
  expect(maskForExport(text)).toBe(masked);
  expect(maskForExport({ data: [text] })).toEqual({ data: [masked] });
});

test("two texts are the same where they differ by the mask alone", () => {
  expect(isSameButSecrets(text, masked)).toBe(true);
  expect(isSameButSecrets(text, `${masked}!`)).toBe(false);
});
