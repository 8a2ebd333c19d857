import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import type { Args, Operation } from "../../src/operations/pipeline/operation.ts";
import { openBareApp } from "../support/bare-app.ts";
import { freeFields, swell } from "../support/processor-time/swell.ts";
import { fillIn, situations } from "../support/situations.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Assembled here so that secret scanners do not flag this file. */
const secret = `ghp_${"R4nd0mT0kenOf36Characters"}${"AbCdEf12345"}`;
const leak = (length: number): string => (length < 60 ? secret : `pool ${secret} here`).slice(0, length);

/** Returns false for reads, for imports, which keep sealed text, and for cells, which have another test. */
const isStoring = ({ name, effect }: Operation) =>
  effect !== "read" &&
  !["session.import", "notebook.run_cell", "notebook.run_all", "notebook.install_deps"].includes(name);

type Use = { operation: Operation; input: Args };
const uses = new Map<string, Use[]>();
for (const operation of catalogue.filter(isStoring))
  for (const { given = "nothing yet", input } of operation.examples.slice(0, 1))
    uses.set(given, [...(uses.get(given) ?? []), { operation, input }]);

/**
 * Returns the files below a directory that contain the secret. Includes the database with its log, the JSON
 * files, notebooks, exports and events.
 */
function filesWithSecret(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(secret));
}

const tried = { fields: 0, masked: 0, refused: 0 };

test.each([...uses])(
  "in %s, no field of any operation stores a secret with redact",
  async (given, list) => {
    const dataDirs: string[] = [];
    for (const { operation, input } of list)
      for (const field of freeFields(operation)) {
        const dataDir = join(tempDir(), "data");
        dataDirs.push(dataDir);
        const app = openBareApp("fs", dataDir, {
          THOUGHTBOX_SECRETS: "redact",
          THOUGHTBOX_EVENT_OUTPUT: "file",
        });
        const situation = (await situations[given]?.({ ...app, dataDir } as never)) ?? { client: app.client };
        const args = swell(operation, fillIn(input, situation), [field], leak);
        const reply = await situation.client.reply(operation.name, args, situation.call);
        const told = JSON.stringify(reply);
        tried.fields += 1;
        if (told.includes("SECRET_MASKED")) tried.masked += 1;
        if (told.includes("Names are stored unchanged")) tried.refused += 1;
        expect(reply, operation.name).not.toMatchObject({ error: { code: "INTERNAL_ERROR" } });
        await app.close();
      }
    expect(dataDirs.flatMap((dataDir) => filesWithSecret(join(dataDir, "..")))).toEqual([]);
  },
  120_000,
);

test.each(["notebook.run_cell", "notebook.run_all"])(
  "%s stores the output, display and error of a cell without secrets with redact",
  async (operation) => {
    const dataDir = join(tempDir(), "data");
    const { client, close } = openBareApp("fs", dataDir, {
      THOUGHTBOX_SECRETS: "redact",
      THOUGHTBOX_EVENT_OUTPUT: "file",
    });
    const { sessionId } = await client.call("start_new", { title: "Cells" });
    const { notebookId } = await client.call("notebook.create", { sessionId, name: "Keys" });
    const key = `${JSON.stringify(secret.slice(0, 9))} + ${JSON.stringify(secret.slice(9))}`;
    const write = (content: string, filename: string) =>
      client.call("notebook.add_cell", { sessionId, notebookId, type: "code", filename, content });
    await write(
      `console.log(${key}); console.error(${key}); display({ mime: "text/plain", data: ${key} }); ${key}`,
      "a.js",
    );
    const { cellId } = await write(`throw new Error(${key})`, "b.js");
    const { cells } = await client.call("notebook.list_cells", { sessionId, notebookId });
    const code = cells.filter(({ type }: Args) => type === "code");
    expect(code).toHaveLength(2);
    const runs = operation === "notebook.run_all" ? [{}] : code.map(({ id }: Args) => ({ cellId: id }));
    const recordAs = { sessionId, type: "E" };
    for (const run of runs) {
      const told = JSON.stringify(await client.reply(operation, { sessionId, notebookId, recordAs, ...run }));
      expect(told).toContain("SECRET_MASKED");
      expect(told).toContain("[secret:github-token]");
    }
    const { cell } = await client.call("notebook.get_cell", { sessionId, notebookId, cellId });
    expect(JSON.stringify(cell)).toContain("[secret:github-token]");
    await close();
    expect(filesWithSecret(join(dataDir, ".."))).toEqual([]);
  },
  60_000,
);

test("the tests above tried fields, and saw masked secrets and refused names", () => {
  expect(tried.fields).toBeGreaterThan(150);
  expect(tried.masked).toBeGreaterThan(80);
  expect(tried.refused).toBeGreaterThan(5);
});
