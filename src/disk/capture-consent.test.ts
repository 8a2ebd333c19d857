import { chmodSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayCapture, readConsent, saveConsent } from "./capture-consent.ts";

const at = "2026-11-17T10:00:00.000Z";
const scratch = () => mkdtempSync(join(tmpdir(), "consent-"));
const home = scratch();

test("capture is off until a person agrees to it", () => {
  const dataDir = join(scratch(), "data");
  expect(readConsent(dataDir, home)).toBeUndefined();
  saveConsent(dataDir, { capture: "on", at }, home);
  expect(readConsent(dataDir, home)).toEqual({ capture: "on", at });
  saveConsent(dataDir, { capture: "off", at }, home);
  expect(readConsent(dataDir, home)).toEqual({ capture: "off", at });
});

test("the setting takes precedence over the stored answer", () => {
  const dataDir = scratch();
  expect(mayCapture(dataDir, undefined, home)).toBe(false);
  expect(mayCapture(dataDir, "on", home)).toBe(true);
  saveConsent(dataDir, { capture: "on", at }, home);
  expect(mayCapture(dataDir, undefined, home)).toBe(true);
  expect(mayCapture(dataDir, "off", home)).toBe(false);
});

test("ignores consent that other users could have written", () => {
  const dataDir = scratch();
  const file = join(dataDir, "capture.json");
  saveConsent(dataDir, { capture: "on", at }, home);
  chmodSync(file, 0o666);
  expect(readConsent(dataDir, home)).toBeUndefined();
  chmodSync(file, 0o600);
  expect(readConsent(dataDir, home)).toBeDefined();
  renameSync(file, join(dataDir, "elsewhere.json"));
  symlinkSync(join(dataDir, "elsewhere.json"), file);
  expect(readConsent(dataDir, home)).toBeUndefined();
});

test("ignores a consent file that cannot be parsed", () => {
  const dataDir = scratch();
  for (const content of ["", "[]", "null", '{"capture":"on"}', '{"capture":true,"at":"now"}', "{"]) {
    writeFileSync(join(dataDir, "capture.json"), content, { mode: 0o600 });
    expect(readConsent(dataDir, home), content).toBeUndefined();
  }
});

test("ignores consent that arrived with the directory, but keeps its exclusions", () => {
  const dataDir = scratch();
  const planted = {
    capture: "on",
    at,
    databases: [{ host: "evil.example", projects: ["*"] }],
    excluded: ["/a"],
  };
  writeFileSync(join(dataDir, "capture.json"), JSON.stringify(planted), { mode: 0o600 });
  expect(readConsent(dataDir, home)).toBeUndefined();
  expect(mayCapture(dataDir, undefined, home)).toBe(false);
  saveConsent(dataDir, { capture: "on", at }, home);
  expect(readConsent(dataDir, home)).toEqual({ capture: "on", at, excluded: ["/a"] });
});

test("asks for consent again if the directory moved or the list cannot be read", () => {
  const dataDir = scratch();
  saveConsent(dataDir, { capture: "on", at }, home);
  renameSync(dataDir, `${dataDir}-moved`);
  expect(readConsent(`${dataDir}-moved`, home)).toBeUndefined();
  renameSync(`${dataDir}-moved`, dataDir);
  expect(readConsent(dataDir, home)).toBeDefined();
  writeFileSync(join(home, ".thoughtbox", "places.json"), '{"directories":{}}');
  expect(readConsent(dataDir, home)).toBeUndefined();
});

test("accepts consent in the default directory without a list", () => {
  const dataDir = join(scratch(), ".thoughtbox");
  saveConsent(dataDir, { capture: "on", at }, join(dataDir, ".."));
  expect(readConsent(dataDir, join(dataDir, ".."))).toEqual({ capture: "on", at });
});
