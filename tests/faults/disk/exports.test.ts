import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inDirectoryBelow } from "../../../src/disk/directory-below.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, startThinking } from "../../support/test-app.ts";

test.each(["json", "markdown", "cipher"])(
  "an export as %s replaces an earlier one of its session, and nothing else",
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
      "left alone",
    );
    expect(readFileSync(path, "utf8")).toBe("somebody's own notes");
  },
);

test("a directory that is exchanged for a link while a file is written does not lead elsewhere", async () => {
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
