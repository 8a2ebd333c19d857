import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createRepositories } from "../../../src/git/repository.ts";
import { createBinding } from "../../../src/operations/pipeline/context.ts";
import { createRepository, repositoryOf, withRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

const environment = { PATH: process.env["PATH"] ?? "" };

/** Keys that make git run a program, and the text to append after the program. */
const keys: readonly (readonly [key: string, rest?: string])[] = [
  ["core.pager"],
  ["pager.log"],
  ["pager.blame"],
  ["core.editor"],
  ["core.fsmonitor"],
  ["core.hooksPath"],
  ["core.sshCommand"],
  ["core.askPass"],
  ["core.alternateRefsCommand"],
  ["core.gitProxy"],
  ["credential.helper", "!"],
  ["diff.external"],
  ["diff.evil.command"],
  ["diff.evil.textconv"],
  ["filter.evil.clean"],
  ["filter.evil.smudge"],
  ["filter.evil.process"],
  ["merge.evil.driver"],
  ["gpg.program"],
  ["gpg.ssh.program"],
  ["gpg.x509.program"],
  ["interactive.diffFilter"],
  ["sequence.editor"],
  ["trailer.evil.command"],
  ["uploadpack.packObjectsHook"],
  ["remote.origin.uploadpack"],
  ["alias.blame", "!"],
  ["alias.log", "!"],
  ["alias.rev-parse", "!"],
  ["alias.cat-file", "!"],
  ["alias.ls-tree", "!"],
];

describe("a repository whose configuration names programs", () => {
  test("runs none of them, whatever Thoughtbox reads", async () => {
    const directory = tempDir();
    const repository = createRepository(directory);
    const canary = join(tempDir(), "canary");
    const program = join(directory, "evil.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${canary}\ncat\n`, { mode: 0o755 });
    repository.write(".gitattributes", "* diff=evil filter=evil merge=evil\n");
    repository.write("src/pool.ts", "const one = 1;\n");
    const first = repository.commit("start", 0);
    repository.write("src/pool.ts", "const one = 1;\nconst two = 2;\n");
    const second = repository.commit("more", 10);
    const hooks = join(directory, "hooks");
    mkdirSync(hooks);
    for (const [key, rest = ""] of keys)
      repository.git(["config", key, key === "core.hooksPath" ? hooks : `${rest}${program}`]);
    for (const [key, value] of [
      ["log.showSignature", "true"],
      ["core.commitGraph", "true"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", `ext::${program}`],
      ["protocol.ext.allow", "always"],
      ["diff.submodule", "diff"],
    ] as const)
      repository.git(["config", key, value]);
    for (const hook of ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"])
      writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${canary}\n`, { mode: 0o755 });
    writeFileSync(canary, "");
    const opened = await createRepositories({ ...environment, HOME: directory }).open(directory);
    expect(await opened?.blame("src/pool.ts")).toHaveLength(2);
    expect(await opened?.readAdded(second)).toEqual([
      { path: "src/pool.ts", line: 2, text: "const two = 2;" },
    ]);
    expect((await opened?.readRange(first, second))?.commits).toEqual([second]);
    expect((await opened?.readCommits([first, second, "0".repeat(40)]))?.size).toBe(2);
    expect([...((await opened?.findPaths(["src/pool.ts", "src/none.ts"])) ?? [])]).toEqual(["src/pool.ts"]);
    expect(await opened?.listFiles()).toEqual([".gitattributes", "evil.sh", "src/pool.ts"]);
    expect(await opened?.resolve("HEAD~1")).toBe(first);
    expect(await opened?.readWorkingFile("src/pool.ts")).toContain("two");
    expect(readFileSync(canary, "utf8")).toBe("");
  });

  test.each(["ext", "file", "helper", "ssh", "http"])("fetches no missing object (%s)", async (way) => {
    const directory = tempDir();
    const repository = createRepository(directory);
    const canary = join(tempDir(), "canary");
    const program = join(directory, "evil.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${canary}\n`, { mode: 0o755 });
    repository.write("src/pool.ts", "const one = 1;\n");
    const first = repository.commit("start", 0);
    repository.write("src/pool.ts", "const one = 1;\nconst two = 2;\n");
    const second = repository.commit("more", 10);
    const blob = repository.git(["rev-parse", `${first}:src/pool.ts`]).trim();
    const settings = {
      ext: [["remote.origin.url", `ext::${program}`]],
      file: [
        ["remote.origin.url", `file://${tempDir()}`],
        ["remote.origin.uploadpack", program],
      ],
      helper: [
        ["remote.origin.url", "x"],
        ["remote.origin.vcs", "evil"],
      ],
      ssh: [
        ["remote.origin.url", "ssh://127.0.0.1:9/x"],
        ["core.sshCommand", program],
        ["ssh.variant", "simple"],
      ],
      http: [
        ["remote.origin.url", "http://127.0.0.1:9/x"],
        ["credential.helper", `!${program}`],
        ["http.proxy", "http://127.0.0.1:9"],
      ],
    }[way];
    for (const [key = "", value = ""] of [
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.partialclonefilter", "blob:none"],
      ["protocol.allow", "always"],
      ...["ext", "file", "evil", "ssh", "http"].map((name) => [`protocol.${name}.allow`, "always"]),
      ...(settings ?? []),
    ])
      repository.git(["config", key, value]);
    rmSync(join(directory, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    writeFileSync(join(directory, "git-remote-evil"), `#!/bin/sh\necho evil >> ${canary}\n`, { mode: 0o755 });
    const PATH = `${directory}:${environment.PATH}`;
    const opened = await createRepositories({ ...environment, PATH, HOME: directory }).open(directory);
    await opened?.blame("src/pool.ts");
    await opened?.readAdded(second);
    await opened?.readRange(first, second);
    await opened?.readCommits([first, "0".repeat(40), "1".repeat(40)]);
    await opened?.findPaths(["src/pool.ts", "src/none.ts"]);
    expect(existsSync(canary) ? readFileSync(canary, "utf8") : "").toBe("");
  });

  test("the canary program runs if git is called without the precautions", async () => {
    const directory = tempDir();
    const repository = createRepository(directory);
    const canary = join(tempDir(), "canary");
    const program = join(directory, "evil.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0" >> ${canary}\ncat "$1"\n`, { mode: 0o755 });
    repository.write(".gitattributes", "*.ts diff=evil\n");
    repository.write("pool.ts", "const one = 1;\n");
    repository.commit("start", 0);
    repository.git(["config", "diff.evil.textconv", program]);
    repository.git(["blame", "HEAD", "--", "pool.ts"]);
    expect(existsSync(canary)).toBe(true);
  });
});

describe("files that why must not read", () => {
  test.each(["the folder above", "another repository"])(
    "a repository with %s as its work tree does not show the files there",
    async (elsewhere) => {
      const app = createTestApp({ backend: "fs" });
      const { client } = await withRepository(app);
      const repository = createRepository(repositoryOf(app));
      repository.write("secret.txt", "one\n");
      repository.commit("start", 20);
      const outside =
        elsewhere === "another repository"
          ? createRepository(tempDir()).directory
          : join(repositoryOf(app), "..");
      writeFileSync(join(outside, "secret.txt"), "one\nprivate words\n");
      repository.git(["config", "core.worktree", outside]);
      for (const line of [1, 2]) {
        const reply = await client.reply("why", { file: "secret.txt", line });
        expect(JSON.stringify(reply)).not.toContain("private words");
      }
      expect(await createRepositories(environment).open(repositoryOf(app))).toBeUndefined();
    },
  );

  test("no path leads out of the repository, and no link is followed", async () => {
    const app = createTestApp({ backend: "fs" });
    const { client } = await withRepository(app);
    const root = repositoryOf(app);
    writeFileSync(join(root, "..", "secret.txt"), "secret\n");
    symlinkSync(join(root, "..", "secret.txt"), join(root, "link.txt"));
    symlinkSync(join(root, ".."), join(root, "folder"));
    for (const file of [
      "../secret.txt",
      "src/../../secret.txt",
      "/etc/passwd",
      "link.txt",
      "folder/secret.txt",
      ".git/config",
      ".GIT/config",
      "src",
      "src/pool.ts\nHEAD",
      "-rf",
      "--output=x",
      ":(top)README.md",
      "\u0000",
      "a\u0000/b.ts",
    ]) {
      const refused = await client.refusal("why", { file, line: 1 });
      expect(["INVALID_PAYLOAD", "UNKNOWN_ID"], file).toContain(refused.code);
      expect(JSON.stringify(refused), file).not.toContain('secret\\n"');
    }
    for (const commit of ["--output=/tmp/x", "-p", "HEAD; id", "$(id)", "nothing-like-this"])
      expect((await client.refusal("why", { commit })).code, commit).toMatch(/UNKNOWN_ID|INVALID_PAYLOAD/);
  });

  test("binary files and files of 100 MB are refused, and the answer about a long range stays small", async () => {
    const app = createTestApp({ backend: "fs" });
    const { client } = await withRepository(app);
    const repository = createRepository(repositoryOf(app));
    repository.write("image.bin", "\u0000\u0001\u0002");
    repository.write("long.txt", Array.from({ length: 12_000 }, (_, n) => `line number ${n}\n`).join(""));
    repository.commit("long", 30);
    writeFileSync(join(repositoryOf(app), "huge.txt"), "x");
    truncateSync(join(repositoryOf(app), "huge.txt"), 100 * 1024 * 1024);
    for (const file of ["image.bin", "huge.txt"])
      expect((await client.refusal("why", { file })).code, file).toBe("UNKNOWN_ID");
    const answer = await client.call("why", { file: "long.txt", line: 1, to: 10_000 });
    expect(answer.answers).toMatchObject([{ lines: "1-10000", commit: { subject: "long" } }]);
    expect(JSON.stringify(answer).length).toBeLessThan(1_500);
  });

  test("without a repository, why reports that", async () => {
    const { client } = await withRepository(createTestApp({ backend: "fs" }));
    const { code, message } = await client.refusal("why", { file: join(tempDir(), "a.ts") });
    expect([code, message]).toEqual([
      "INVALID_PAYLOAD",
      expect.stringContaining("not in any other git repository"),
    ]);
  });
});

test("a caller over HTTP reaches only the server's own repository, whatever root it binds", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const other = tempDir();
  const repository = createRepository(other);
  repository.write("private.ts", "const secret = 1;\n");
  repository.commit("private", 0);
  const remote = app.modern({ transport: "http" });
  expect(await remote.call("why", { file: "src/pool.ts", line: 2 })).toMatchObject({
    answers: [{ lines: "2" }],
  });
  expect((await remote.refusal("why", { file: join(other, "private.ts") })).code).toBe("INVALID_PAYLOAD");
  const binding = { ...createBinding(), boundRoot: pathToFileURL(other).href };
  const bound = app.legacy({ transport: "http", binding });
  expect((await bound.refusal("why", { file: "private.ts" })).code).toBe("INVALID_PAYLOAD");
  const local = app.modern();
  expect(await local.call("why", { file: join(other, "private.ts") })).toMatchObject({ repository: other });
});
