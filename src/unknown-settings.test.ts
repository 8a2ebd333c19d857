import { expect, test } from "vitest";
import { settings } from "./settings.ts";
import { explainUnknownSettings } from "./unknown-settings.ts";

test.each([
  [
    { THOUGHTBOX_PROJET: "x" },
    {},
    "THOUGHTBOX_PROJET is not a setting. It is ignored. Did you mean THOUGHTBOX_PROJECT?",
  ],
  [
    { THOUGHTBOX_DATADIR: "x" },
    {},
    "THOUGHTBOX_DATADIR is not a setting. It is ignored. Did you mean THOUGHTBOX_DATA_DIR?",
  ],
  [
    { THOUGHTBOX_XYZZY: "x" },
    {},
    "THOUGHTBOX_XYZZY is not a setting. It is ignored. thoughtbox config lists all settings.",
  ],
  [
    {},
    { projct: "x" },
    'config.json has "projct", which is not a setting. It is ignored. Did you mean project?',
  ],
  [
    {},
    { observatory: { prot: 1 } },
    'config.json has "observatory.prot", which is not a setting. It is ignored. Did you mean observatory.port?',
  ],
])("reports %o and %o", (env, stored, sentence) => {
  expect(explainUnknownSettings(env, stored)).toEqual([sentence]);
});

test("ignores settings that are known, blank or not ours", () => {
  const env = Object.fromEntries(
    settings.flatMap(({ variable, alias }) => [variable, alias].map((name) => [name, "x"])),
  );
  const stored = { installId: "x", createdAt: "x", project: "x", observatory: { port: 1 }, event: null };
  expect(explainUnknownSettings({ ...env, THOUGHTBOX_NOTHING: " ", OTHER: "x" }, stored)).toEqual([]);
});
