import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createRepository,
  createTranscript,
  repositoryOf,
  withRepository,
} from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

const sessions = ["a", "b", "c"].map((letter) => `${letter.repeat(8)}-2222-4333-8444-555555555555`);
const [one = "", two = "", three = ""] = sessions;
const entry = "export const entryPointOfTheShop = createShop(settings);";

describe("sessions of another project", () => {
  test("count even though this project changed another file with the same name", async () => {
    const app = createTestApp({ backend: "fs" });
    const repository = createRepository(repositoryOf(app));
    const [mine, other] = [app.modern({ project: "mine" }), app.modern({ project: "other" })];
    const elsewhere = createTranscript(app, one);
    elsewhere.ask("Add b/index.ts as the entry point of the shop.", 1);
    elsewhere.think("The shop needs an entry point, because callers open it in three ways.", 2);
    elsewhere.use("Write", { file_path: "/home/ada/shop/b/index.ts", content: entry }, { minute: 3 });
    const own = createTranscript(app, two);
    own.ask("Add a/index.ts.", 1);
    own.use("Write", { file_path: "/home/ada/shop/a/index.ts", content: "export {};" }, { minute: 2 });
    repository.write("a/index.ts", "export {};\n");
    repository.write("b/index.ts", `${entry}\n`);
    repository.commit("feat: entry point", 5);
    const session = await elsewhere.import(other);
    const asked = { file: "b/index.ts", line: 1 };
    const found = { answers: [{ by: { sessionId: session, how: "sure" }, because: {} }] };
    expect(await mine.call("why", asked)).toMatchObject(found);
    await own.import(mine);
    expect(await mine.call("why", asked)).toMatchObject(found);
  });

  test("do not count if this project changed the file itself", async () => {
    const app = createTestApp({ backend: "fs" });
    const repository = createRepository(repositoryOf(app));
    const [mine, other] = [app.modern({ project: "mine" }), app.modern({ project: "other" })];
    const write = (id: string, content: string) => {
      const transcript = createTranscript(app, id);
      transcript.ask("Add an entry point.", 1);
      transcript.use("Write", { file_path: "/home/ada/shop/b/index.ts", content }, { minute: 3 });
      return transcript;
    };
    repository.write("b/index.ts", `${entry}\n`);
    repository.commit("feat: entry point", 5);
    const elsewhere = await write(one, entry).import(other);
    await write(two, "export const nothingOfTheKind = createNothing();").import(mine);
    const { answers } = await mine.call("why", { file: "b/index.ts", line: 1 });
    expect(answers[0].by?.sessionId).not.toBe(elsewhere);
  });
});

/** Imports a session, and then a fork that repeats it and continues. */
async function forked() {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  const path = "/home/ada/shop/src/pool.ts";
  const [before, after] = ["  countOpenConnections(size, limit);", "  await waitForAllWorkers(size);"];
  const transcripts = [one, two].map((id) => createTranscript(app, id));
  for (const transcript of transcripts) {
    transcript.ask("Let the pool wait for its workers.", 1);
    transcript.think("The pool must count its open connections, because the database allows only ten.", 2);
    transcript.use("Write", { file_path: path, content: before }, { minute: 3, call: "counts" });
    transcript.think("Counting is wrong when a worker dies, so the pool should wait for its workers.", 4);
    const edit = { file_path: path, old_string: before, new_string: after };
    transcript.use("Edit", edit, { minute: 5, call: "waits" });
  }
  transcripts[1]?.ask("Now write the documentation.", 30);
  repository.write("src/pool.ts", `${after}\n`);
  const commit = repository.commit("feat: wait", 6);
  const ids: string[] = [];
  for (const transcript of transcripts) ids.push(await transcript.import(client));
  const [origin = "", fork = ""] = ids;
  return { app, client, repository, path, after, commit, origin, fork };
}

describe("an edit that a fork repeats", () => {
  test("is explained in the words of the session that the answer names", async () => {
    const { client, origin } = await forked();
    const { answers } = await client.call("why", { file: "src/pool.ts", line: 1 });
    expect(answers[0].by).toMatchObject({ sessionId: origin, edit: "waits" });
    const quoted = [answers[0].by.thought, answers[0].asked.thought, answers[0].because.thought];
    expect(quoted.map((place) => place.split(":")[0])).toEqual([origin, origin, origin]);
    expect(answers[0].given_up).toMatchObject([{ what: expect.stringContaining("allows only ten") }]);
  });

  test("ties its commit to the original session", async () => {
    const { client, origin, commit } = await forked();
    const { ties } = await client.call("git_scan", {});
    expect(ties).toMatchObject([{ commit: commit.slice(0, 12), sessionId: origin }]);
  });

  test("counts for the original if it changes the line again", async () => {
    const { app, client, repository, path, after, origin } = await forked();
    const first = createTranscript(app, three);
    first.ask("Let the pool wait.", 0);
    first.use("Write", { file_path: path, content: after }, { minute: 0.5 });
    await first.import(client);
    repository.git(["commit", "--quiet", "--amend", "--no-edit", "--date=2026-03-02T10:01:00Z"], 1);
    const { answers } = await client.call("why", { file: "src/pool.ts", line: 1 });
    expect(answers[0].since).toMatchObject([{ sessionId: origin }]);
  });
});

describe("a path through a symbolic link", () => {
  test("names the file in the repository that the link leads to", async () => {
    const app = createTestApp({ backend: "fs" });
    const { client, sessionId } = await withRepository(app);
    const root = repositoryOf(app);
    const folder = tempDir();
    symlinkSync(root, join(folder, "link"));
    symlinkSync(join(folder, "link"), join(folder, "again"));
    symlinkSync(join(root, "src"), join(folder, "inside"));
    for (const file of ["link/src/pool.ts", "again/src/pool.ts", "inside/pool.ts"])
      expect(await client.call("why", { file: join(folder, file), line: 2 }), file).toMatchObject({
        answers: [{ file: "src/pool.ts", by: { sessionId } }],
      });
    const near = await client.refusal("why", { file: join(folder, "link/src/poll.ts") });
    expect(near).toMatchObject({ code: "UNKNOWN_ID", message: expect.stringContaining("src/poll.ts") });
  });

  test("is refused if a link in a repository leads out of it", async () => {
    const app = createTestApp({ backend: "fs" });
    const { client } = await withRepository(app);
    const root = repositoryOf(app);
    const secret = createRepository(join(tempDir(), "secret"));
    secret.write("private.ts", "const password = 1;\n");
    secret.commit("private words", 0);
    mkdirSync(join(root, "docs"));
    symlinkSync(secret.directory, join(root, "docs", "out"));
    symlinkSync(join(secret.directory, ".."), join(root, "above"));
    const folder = tempDir();
    symlinkSync(root, join(folder, "link"));
    symlinkSync(join(root, "docs", "out"), join(folder, "chain"));
    for (const file of [
      "docs/out/private.ts",
      "above/secret/private.ts",
      join(root, "docs/out/private.ts"),
      join(root, "above/secret/private.ts"),
      join(folder, "link/docs/out/private.ts"),
      join(folder, "link/above/secret/private.ts"),
      join(folder, "chain/private.ts"),
    ]) {
      const refused = await client.refusal("why", { file, line: 1 });
      expect(["INVALID_PAYLOAD", "UNKNOWN_ID"], file).toContain(refused.code);
      expect(JSON.stringify(refused), file).not.toMatch(/password|private words/);
    }
  });
});
