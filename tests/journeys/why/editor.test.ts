import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { repositoryOf, withRepository } from "../../support/git/repository.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

type Message = { id?: number; result?: any; error?: { code: number; message: string } };

/** Starts the editor's side of the protocol, written only for this test. */
function startEditor(app: TestApp, words: readonly string[] = [binary, "lsp"], env: NodeJS.ProcessEnv = {}) {
  const directory = repositoryOf(app);
  const server = spawn(process.execPath, words, {
    cwd: directory,
    env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: app.dataDir, ...env },
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const waiting = new Map<number, (message: Message) => void>();
  let received = Buffer.alloc(0);
  server.stdout.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString("latin1")) ?? [];
      const end = (head?.length ?? 0) + Number(length);
      if (head === undefined || received.length < end) return;
      const message: Message = JSON.parse(received.toString("utf8", head.length, end));
      received = received.subarray(end);
      waiting.get(message.id ?? 0)?.(message);
    }
  });
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  let last = 0;
  const request = (method: string, params: object = {}): Promise<Message> => {
    last += 1;
    const id = last;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  };
  const uri = pathToFileURL(join(directory, "src", "pool.ts")).href;
  return {
    server,
    send,
    request,
    notify: (method: string, params: object = {}) => send({ method, params }),
    uri,
    open: (options: object = {}) =>
      request("initialize", {
        processId: null,
        capabilities: {},
        rootUri: pathToFileURL(directory).href,
        ...options,
      }),
    hover: async (line: number, file = uri) =>
      (
        await request("textDocument/hover", {
          textDocument: { uri: file },
          position: { line, character: 3 },
        })
      ).result,
  };
}

const saved = "export const pool = {\n  size: 40, // one connection per worker\n};\n";

test("an editor sees the reason above a line and the session above its lines", async () => {
  const app = createTestApp({ backend: "fs" });
  const { sessionId } = await withRepository(app);
  const { request, notify, open, hover, uri, server } = startEditor(app);
  expect((await request("textDocument/hover")).error).toMatchObject({ code: -32002 });
  expect((await open()).result).toMatchObject({ capabilities: { hoverProvider: true } });
  notify("initialized");
  notify("textDocument/didOpen", {
    textDocument: { uri, languageId: "typescript", version: 1, text: saved },
  });
  const { contents } = await hover(1);
  expect(contents.kind).toBe("markdown");
  expect(contents.value).toContain("**asked** Checkout times out.");
  expect(contents.value).toContain("one connection per worker");
  expect(contents.value).toContain(`thoughtbox show ${sessionId.slice(0, 8)}`);
  const { result: lenses } = await request("textDocument/codeLens", { textDocument: { uri } });
  expect(lenses).toMatchObject([
    {
      range: { start: { line: 0 } },
      command: { title: expect.stringMatching(/^claude-code · 2026-03-02 · /) },
    },
  ]);
  expect((await request("shutdown")).result).toBeNull();
  notify("exit");
  expect((await once(server, "exit"))[0]).toBe(0);
});

test("a hover lists decisions about the file, even above a line that no session wrote", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const files = ["src/pool.ts", "README.md"];
  const size = { title: "One *connection* per worker", chosen: "40", because: "Workers wait otherwise." };
  const { id } = await client.call("decide", { ...size, files });
  const project = { THOUGHTBOX_PROJECT: "_default" };
  const { notify, open, hover, uri } = startEditor(app, undefined, project);
  await open();
  const readme = uri.replace("src/pool.ts", "README.md");
  notify("textDocument/didOpen", { textDocument: { uri, text: saved } });
  notify("textDocument/didOpen", { textDocument: { uri: readme, text: "# Shop\n" } });
  expect((await hover(1)).contents.value).toContain(`**see** \`${id}\` One \\*connection\\* per worker\n`);
  expect((await hover(0, readme)).contents.value).toMatch(
    /^No imported session wrote this line\.\n\n\*\*see/,
  );
  await client.call("decide", { title: "Ten", chosen: "10", because: "Enough.", reverses: [id] });
  expect((await hover(1)).contents.value).toContain("per worker (reversed)\n");
});

test("lines of an unsaved buffer are matched with the saved file, and new lines have no reason", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const { request, notify, open, hover, uri } = startEditor(app);
  await open();
  notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text: "" } });
  const text = `// added, and not saved\n\n${saved}`;
  notify("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text }] });
  expect(await hover(0)).toBeNull();
  expect((await hover(3)).contents.value).toContain("**because** 40 workers");
  const { result } = await request("textDocument/codeLens", { textDocument: { uri } });
  expect(result).toMatchObject([{ range: { start: { line: 2 } } }]);
});

test("an editor that does not trust its folder gets no features, and files outside it have no reasons", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const untrusted = startEditor(app);
  const { result } = await untrusted.open({ initializationOptions: { trusted: false } });
  expect(result.capabilities).toEqual({});
  untrusted.notify("textDocument/didOpen", { textDocument: { uri: untrusted.uri, text: saved } });
  expect(await untrusted.hover(1)).toBeNull();
  const { open, hover, request } = startEditor(app);
  await open();
  for (const file of ["file:///etc/passwd", "untitled:Untitled-1", "file:///%zz", "", 7 as never])
    expect(await hover(1, file)).toBeNull();
  expect(await hover(-1)).toBeNull();
  expect((await request("textDocument/definition")).error).toMatchObject({ code: -32601 });
});

test("no message from an editor stops or blocks the server", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const { open, hover, request, notify, send, uri } = startEditor(app);
  const directory = repositoryOf(app);
  execFileSync("mkfifo", ["one.ts", "two.ts", "three.ts", "four.ts"], { cwd: directory });
  symlinkSync("/etc/passwd", join(directory, "link.ts"));
  await open();
  const hostile = { toString: 1, valueOf: 1 };
  let deep: unknown = uri;
  for (let at = 0; at < 1_000; at += 1) deep = [deep];
  for (const value of [hostile, deep, null, 7, [], { uri }]) {
    notify("textDocument/didOpen", { textDocument: { uri: value, text: value } });
    notify("textDocument/didChange", { textDocument: value as object, contentChanges: value as object });
    notify("textDocument/didClose", { textDocument: { uri: value } });
    notify("$/cancelRequest", { id: value });
    send({ id: value, method: "textDocument/hover", params: value });
    expect(await hover(1, value as never)).toBeNull();
  }
  const places = [
    "one.ts",
    "two.ts",
    "three.ts",
    "four.ts",
    "link.ts",
    "../outside.ts",
    "src/%2e%2e/%2e%2e/a.ts",
  ];
  for (const place of places)
    expect(await hover(0, new URL(place, `${pathToFileURL(directory).href}/`).href)).toBeNull();
  const text = Array.from({ length: 200_000 }, (_, at) => `line ${at}`).join("\n");
  notify("textDocument/didOpen", { textDocument: { uri, text } });
  expect(await hover(1)).toBeNull();
  const many = await Promise.all(
    Array.from({ length: 300 }, () =>
      request("textDocument/hover", { textDocument: { uri }, position: { line: 1 } }),
    ),
  );
  expect(many.filter(({ result }) => result === null).length).toBeGreaterThanOrEqual(64);
  expect((await request("x".repeat(100_000))).error?.message.length).toBeLessThan(200);
  notify("textDocument/didClose", { textDocument: { uri } });
  expect((await hover(1)).contents.value).toContain("one connection per worker");
});

test("an invalid message stream ends the server", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const { server } = startEditor(app);
  server.stdin.write("Content-Length: 99999999999\r\n\r\n");
  expect((await once(server, "exit"))[0]).toBe(1);
});

test("the Claude Code plugin starts the same server and does not claim .ts files", async () => {
  const app = createTestApp({ backend: "fs" });
  await withRepository(app);
  const folder = join(import.meta.dirname, "..", "..", "..", "plugin");
  const { thoughtbox } = JSON.parse(readFileSync(join(folder, ".lsp.json"), "utf8"));
  expect(thoughtbox.command).toBe("node");
  const words = thoughtbox.args.map((word: string) => word.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, folder));
  const { open, notify, hover, uri } = startEditor(app, words);
  expect((await open()).result.capabilities.hoverProvider).toBe(true);
  notify("textDocument/didOpen", { textDocument: { uri, languageId: "plaintext", version: 1, text: saved } });
  expect((await hover(1)).contents.value).toContain("**because**");
  expect(Object.keys(thoughtbox.extensionToLanguage)).not.toContain(".ts");
});
