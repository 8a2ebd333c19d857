import { chmodSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayCapture, readConsent, saveConsent } from "./capture-consent.ts";

const at = "2026-11-17T10:00:00.000Z";
const scratch = () => mkdtempSync(join(tmpdir(), "consent-"));

test("capture is off until a person says yes", () => {
  const dataDir = join(scratch(), "data");
  expect(readConsent(dataDir)).toBeUndefined();
  saveConsent(dataDir, { capture: "on", at });
  expect(readConsent(dataDir)).toEqual({ capture: "on", at });
  saveConsent(dataDir, { capture: "off", at });
  expect(readConsent(dataDir)).toEqual({ capture: "off", at });
});

test("the setting decides over the stored answer", () => {
  const dataDir = scratch();
  expect(mayCapture(dataDir, undefined)).toBe(false);
  expect(mayCapture(dataDir, "on")).toBe(true);
  saveConsent(dataDir, { capture: "on", at });
  expect(mayCapture(dataDir, undefined)).toBe(true);
  expect(mayCapture(dataDir, "off")).toBe(false);
});

test("an answer that others could have written is no consent", () => {
  const dataDir = scratch();
  const file = join(dataDir, "capture.json");
  saveConsent(dataDir, { capture: "on", at });
  chmodSync(file, 0o666);
  expect(readConsent(dataDir)).toBeUndefined();
  chmodSync(file, 0o600);
  expect(readConsent(dataDir)).toBeDefined();
  renameSync(file, join(dataDir, "elsewhere.json"));
  symlinkSync(join(dataDir, "elsewhere.json"), file);
  expect(readConsent(dataDir)).toBeUndefined();
});

test("a file that cannot be understood is no consent", () => {
  const dataDir = scratch();
  for (const content of ["", "[]", "null", '{"capture":"on"}', '{"capture":true,"at":"now"}', "{"]) {
    writeFileSync(join(dataDir, "capture.json"), content, { mode: 0o600 });
    expect(readConsent(dataDir), content).toBeUndefined();
  }
});
