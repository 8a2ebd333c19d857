import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { executeRecovery } from "../support/replies/execute-recovery.ts";
import { sourceFiles } from "../support/sources.ts";
import { oneOfEachAdapter } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp } from "../support/test-app.ts";
import type { Provocations } from "./provoke.ts";

/** The files beside the operations, one in each folder. */
const files = sourceFiles(join(import.meta.dirname, "..", "..", "src", "operations")).filter((file) =>
  file.endsWith("-provocations.testing.ts"),
);
const provocations: Provocations = Object.assign(
  {},
  ...(await Promise.all(
    files.map(async (file) => ((await import(file)) as { provocations: Provocations }).provocations),
  )),
);

const declared = catalogue.flatMap(({ name, errors }) => errors.map((code) => [name, code] as const));

test("exactly the declared codes of every operation are provoked", () => {
  const provoked = Object.entries(provocations).flatMap(([name, codes]) =>
    Object.keys(codes).map((code) => `${name} ${code}`),
  );
  expect(provoked.length).toBeGreaterThan(20);
  expect(provoked.sort()).toEqual(declared.map((pair) => pair.join(" ")).sort());
});

/** Error codes that no other call can fix, each with the reason. */
const beyondTheCaller: Partial<Record<ErrorCode, string>> = {
  STORAGE_ERROR: "the disk or the machine has to be mended first",
};

// `memory` and `fs` share an adapter and refuse the same calls, so one store per adapter is enough.
describe.each(oneOfEachAdapter)("on %s", (backend) => {
  test.each(declared)("%s fails with %s, and its recovery works", async (name, code) => {
    const provoke = provocations[name]?.[code];
    if (!provoke) throw new Error(`nothing provokes ${code} in ${name}`);
    const { error, client, args } = await provoke(name, backend);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S[.?]$/) });
    if (!(code in beyondTheCaller)) expect(error.recovery?.hint, "a way out").toMatch(/\S[.?]$/);
    if (error.recovery?.operation !== undefined) await executeRecovery(client, args, error);
  });
});

test("a data directory that is a regular file is a STORAGE_ERROR, not a bug", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const client = createTestApp({ backend: "fs", dataDir: file }).modern();
  expect(await client.refusal("start_new")).toMatchObject({ code: "STORAGE_ERROR" });
});
