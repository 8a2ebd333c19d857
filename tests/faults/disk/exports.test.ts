import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inDirectoryBelow } from "../../../src/disk/directory-below.ts";
import { writeWhole } from "../../../src/disk/write-whole.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, startThinking } from "../../support/test-app.ts";

test.each(["json", "markdown", "cipher"])(
  "an export as %s replaces only an earlier export of its session",
  async (format) => {
    const app = createTestApp({ backend: "fs" });
    const client = app.modern();
    const [sessionId, other] = [await startThinking(client), await startThinking(client)];
    for (const id of [sessionId, other])
      await client.call("thought", { sessionId: id, thought: "S1|O|seen" });
    const extension = { json: "json", markdown: "md", cipher: "txt" }[format];
    const destination = `review.${extension}`;
    const { path } = await client.call("session.export", { sessionId, format, destination });
    const first = readFileSync(path, "utf8");
    await client.call("thought", { sessionId, thought: "S2|O|S1|more" });
    await client.call("session.export", { sessionId, format, destination });
    const second = readFileSync(path, "utf8");
    expect(second).not.toBe(first);

    const refused = { sessionId: other, format, destination };
    expect((await client.refusal("session.export", refused)).code).toBe("INVALID_PAYLOAD");
    expect(readFileSync(path, "utf8")).toBe(second);
    writeFileSync(path, "somebody's own notes");
    expect((await client.refusal("session.export", { sessionId, format, destination })).message).toContain(
      "was not changed",
    );
    expect(readFileSync(path, "utf8")).toBe("somebody's own notes");
  },
);

test.each(["json", "markdown", "cipher"])(
  "an export as %s does not replace a different file with the name of an export",
  async (format) => {
    const client = createTestApp({ backend: "fs" }).modern();
    const sessionId = await startThinking(client);
    const written = { sessionId, format, includeMetadata: false, destination: "." };
    const { path } = await client.call("session.export", written);
    await client.call("thought", { sessionId, thought: "S1|O|seen" });
    await client.call("session.export", written);
    await client.call("thought", {
      sessionId,
      thought: "S2|O|S1|more",
      branchFromThought: 1,
      branchId: "alt",
    });
    await client.call("thought", { sessionId, thought: "S3|O|S1|last" });
    await client.call("session.export", written);
    expect(readFileSync(path, "utf8")).toContain("last");
    for (const own of ["somebody's own notes", "# Notes\n\nwhat I think of it\n", '{"on":"it"}', ""]) {
      writeFileSync(path, own);
      expect(await client.refusal("session.export", written)).toMatchObject({ code: "INVALID_PAYLOAD" });
      expect(readFileSync(path, "utf8")).toBe(own);
    }
  },
);

test("a file that only mentions a session, or only starts like an export, is not replaced", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  for (let n = 1; n <= 200; n += 1)
    await client.call("thought", { sessionId, thought: `S${n}|O|seen, for the ${n}th time` });
  const { path } = await client.call("session.export", { sessionId, format: "cipher", destination: "a.txt" });
  const cipher = readFileSync(path, "utf8");
  expect(cipher.length).toBeGreaterThan(5_000);
  for (const [format, name, notes] of [
    ["json", "notes.json", JSON.stringify({ about: sessionId })],
    ["markdown", "notes.md", `# Notes\n\nOn session \`${sessionId}\`: look again.\n`],
    ["cipher", "notes.txt", `${cipher}and what I think of it\n`],
  ]) {
    const own = join(path, "..", name ?? "");
    writeFileSync(own, notes ?? "");
    const { code } = await client.refusal("session.export", { sessionId, format, destination: name });
    expect({ format, code, text: readFileSync(own, "utf8") }).toEqual({
      ...{ format, code: "INVALID_PAYLOAD", text: notes },
    });
  }
});

test("a notebook or context pack does not replace a different file with its name", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  const { notebookId } = await client.call("notebook.create", { sessionId, name: "Package" });
  const write = (path: string) => ({ sessionId, notebookId, path });
  const { path } = await client.call("notebook.export", write("sums.src.md"));
  const own = { "package.json": '{"name":"mine"}', "context_pack_notes.json": '{"on":"context_pack"}' };
  for (const [name, text] of Object.entries(own)) writeFileSync(join(path, "..", name), text);

  expect((await client.refusal("notebook.export", write("package.json"))).code).toBe("INVALID_PAYLOAD");
  await client.call("notes_commit", { workspace: "w", content: "seen" });
  const pack = { workspace: "w", out_file: "context_pack_notes.json" };
  expect((await client.refusal("context_pack_export", pack)).code).toBe("INVALID_PAYLOAD");
  for (const [name, text] of Object.entries(own))
    expect(readFileSync(join(path, "..", name), "utf8")).toBe(text);

  const earlier = readFileSync(path, "utf8");
  await client.call("notebook.add_cell", { sessionId, notebookId, type: "markdown", content: "More." });
  await client.call("notebook.export", write("sums.src.md"));
  expect(readFileSync(path, "utf8")).not.toBe(earlier);
  for (const content of ["more", "even more"]) {
    await client.call("notes_commit", { workspace: "w", content });
    const { out_file } = await client.call("context_pack_export", { ...pack, out_file: "pack.json" });
    expect(readFileSync(out_file, "utf8")).toContain(content);
  }
});

test("a context pack does not replace that of another workspace", async () => {
  const client = createTestApp({ backend: "fs" }).modern();
  const write = (workspace: string, max_chars = 20_000) => ({ workspace, out_file: "pack.json", max_chars });
  for (const workspace of ["one", "another"])
    await client.call("notes_commit", { workspace, content: `of ${workspace}` });
  const { out_file } = await client.call("context_pack_export", write("one"));
  const earlier = readFileSync(out_file, "utf8");

  expect((await client.refusal("context_pack_export", write("another"))).code).toBe("INVALID_PAYLOAD");
  expect(readFileSync(out_file, "utf8")).toBe(earlier);
  for (const chars of [300, 20_000]) await client.call("context_pack_export", write("one", chars));
  expect(readFileSync(out_file, "utf8")).toContain("of one");
});

test("a file that appears during a write keeps its name and content", async () => {
  const directory = tempDir();
  const path = join(directory, "file");
  writeFileSync(path, "an earlier export");
  const beforeNaming = async () => {
    writeFileSync(path, "somebody's own");
    throw new Error("taken");
  };
  const options = { as: "replace" as const, durable: true, beforeNaming };
  await expect(writeWhole(directory, "file", "the next export", options)).rejects.toThrow("taken");
  expect(readdirSync(directory)).toEqual(["file"]);
  expect(readFileSync(path, "utf8")).toBe("somebody's own");
});

test("a file is not written elsewhere if its directory is replaced by a link during the write", async () => {
  const [root, elsewhere] = [tempDir(), tempDir()];
  await inDirectoryBelow(root, ["a", "b"], async (directory) => {
    const { renameSync } = await import("node:fs");
    renameSync(join(root, "a"), join(root, "moved"));
    mkdirSync(join(elsewhere, "b"));
    symlinkSync(elsewhere, join(root, "a"));
    writeFileSync(join(directory, "file"), "mine");
  });
  expect(readdirSync(join(elsewhere, "b"))).toEqual([]);
  expect(readdirSync(join(root, "moved", "b"))).toEqual(["file"]);
  await expect(inDirectoryBelow(root, ["a", "b"], async () => {})).rejects.toThrow(/ELOOP|ENOTDIR/);
});
