import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPackedProject } from "./packed-project.ts";

const project = createPackedProject();

test("the package contains only the program, its types and its texts, and is small", () => {
  const { files, size } = project.tarball;
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "dist/index.mjs",
      "dist/index.d.mts",
      "dist/operations.d.mts",
      "content/cipher.md",
    ]),
  );
  expect(paths.filter((path) => /^(?:src|tests|scripts|bench|docs)\//.test(path))).toEqual([]);
  expect(files.find(({ path }) => path === "dist/thoughtbox.js")?.mode).toBe(0o755);
  // At most 1.2 MB. Measured sizes in the package: the program 729 KB, the Observatory with its fonts 260 KB,
  // guides and models 78 KB, types 36 KB, lists of tools 32 KB.
  expect(size).toBeLessThan(1_200_000);
});

test("the package contains the licences of all bundled packages, and no registry's address", () => {
  const notices = readFileSync(
    join(project.directory, "node_modules", "thoughtbox", "dist", "third-party-notices.txt"),
    "utf8",
  );
  const named = [...notices.matchAll(/^-{80}\n(\S+) \S+ \(\S+\)$/gm)].map(([, name]) => name);
  expect(named).toEqual(
    expect.arrayContaining([
      "@fontsource-variable/inter",
      "@modelcontextprotocol/server",
      "preact",
      "ws",
      "zod",
    ]),
  );
  expect(
    notices.match(/Permission is hereby granted|Apache License|OPEN FONT LICENSE/g)?.length,
  ).toBeGreaterThan(named.length - 1);
  expect(notices).not.toMatch(/registry\./);
});

test("a program records and finds a thought in memory, and exits by itself", () => {
  const { stdout, stderr, status, home } = project.run(`
    import { createThoughtbox } from "thoughtbox";
    const box = await createThoughtbox();
    const { sessionId } = await box.call("start_new", { sessionTitle: "Why do logins time out?" });
    await box.call("thought", { sessionId, thought: "S1|O|The resolver restarts at noon" });
    const { hits } = await box.call("session.search", { query: "resolver" });
    const { markdown } = await box.call("cipher", { sessionId });
    await box.close();
    console.log(hits.length, hits[0].sessionId === sessionId, markdown.startsWith("# Cipher"));
  `);
  expect({ stdout, stderr, status }).toEqual({ stdout: "1 true true\n", stderr: "", status: 0 });
  expect(readdirSync(home)).toEqual([]);
});

test("the library opens no port, handles no signal, and ignores the environment and the umask", () => {
  const { stdout, stderr, status, home } = project.run(
    `
    import { createThoughtbox } from "thoughtbox";
    const before = process.umask();
    const box = await createThoughtbox();
    await box.connect().call("thought", { thought: "one" });
    const busy = process.getActiveResourcesInfo().filter((name) => /Server|TCP|Signal/.test(name));
    const events = ["SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection"];
    console.log(busy.length, events.map((name) => process.listenerCount(name)).join(), process.umask() === before);
  `,
    { env: { THOUGHTBOX_STORAGE: "no such storage", PORT: "x", THOUGHTBOX_EVENT_OUTPUT: "stdout" } },
  );
  expect({ stdout, stderr, status }).toEqual({ stdout: "0 0,0,0,0 true\n", stderr: "", status: 0 });
  expect(readdirSync(home)).toEqual([]);
});

test("a program reads what an earlier one recorded without closing its box", () => {
  const dataDir = join(project.directory, "shared-data");
  const recorded = project.run(`
    import { createThoughtbox } from "thoughtbox";
    const box = await createThoughtbox({ dataDir: ${JSON.stringify(dataDir)} });
    const { sessionId } = await box.call("start_new", { sessionTitle: "Kept" });
    await box.call("thought", { sessionId, thought: "still here" });
    console.log(sessionId);
  `);
  expect(recorded).toMatchObject({ stderr: "", status: 0 });
  const read = project.run(`
    import { createThoughtbox } from "thoughtbox";
    const box = await createThoughtbox({ dataDir: ${JSON.stringify(dataDir)} });
    const { thoughts } = await box.call("read_thoughts", { sessionId: "${recorded.stdout.trim()}", last: 1 });
    console.log(thoughts[0].thought);
    await box.close();
  `);
  expect(read).toMatchObject({ stdout: "still here\n", stderr: "", status: 0 });
});

test("fs without a directory uses the server's data directory", () => {
  const { home } = project.run(`
    import { createThoughtbox } from "thoughtbox";
    const box = await createThoughtbox({ storage: "fs" });
    await box.connect().call("thought", { thought: "one" });
    await box.close();
  `);
  expect(readdirSync(home)).toEqual([".thoughtbox"]);
});

test("a CommonJS program can require the package", () => {
  const program = `
    const { createThoughtbox } = require("thoughtbox");
    createThoughtbox().then((box) => console.log(box.operations.length > 30));
  `;
  const { stdout, status } = project.run(program, { file: "program.cjs" });
  expect({ stdout, status }).toEqual({ stdout: "true\n", status: 0 });
});

test("the binary of the package runs", () => {
  const { stdout, status } = project.run(`
    import { spawnSync } from "node:child_process";
    const words = ["node_modules/thoughtbox/dist/thoughtbox.js", "call", "help", "topic=thought"];
    process.stdout.write(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout.split("\\n")[0]);
  `);
  expect({ stdout, status }).toEqual({ stdout: "# thought", status: 0 });
});

test.each([
  ["exits by itself", ""],
  ["exits", "process.exit();"],
  ["fails", "setImmediate(() => { throw new Error('its own') });"],
])("a program that %s without closing has received every acknowledged event", (_how, end) => {
  const { stdout } = project.run(`
    import { createThoughtbox } from "thoughtbox";
    const box = await createThoughtbox();
    box.subscribe(({ data }) => console.log(data.thought), ["thought_added"]);
    const { sessionId } = await box.call("thought", { sessionTitle: "T", thought: "one" });
    await box.call("thought", { sessionId, thought: "two" });
    ${end}
  `);
  expect(stdout).toBe("one\ntwo\n");
});
