import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { stdio } from "../../../src/cli/commands/serving/stdio.ts";
import { commands } from "../../../src/cli/commands.ts";
import type { Terminal } from "../../../src/cli/host.ts";
import { runCommand } from "../../support/cli.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { prepareStore } from "../prepared-store.ts";

const newStore = () => join(tempDir(), "data");

test("common options can precede the command", async () => {
  const dataDir = await prepareStore();
  const empty = newStore();
  const after = await runCommand(["ls", "--data-dir", dataDir, "-q"], { dataDir: empty });
  expect(after.out).toMatch(/^5e551011-/);
  for (const typed of [
    ["--data-dir", dataDir, "-q", "ls"],
    [`--data-dir=${dataDir}`, "--color", "never", "ls", "--quiet"],
  ])
    expect(await runCommand(typed, { dataDir: empty })).toEqual(after);
  const asJson = await runCommand(["--json", "ls"], { dataDir });
  expect(JSON.parse(asJson.out).sessions).toHaveLength(2);
});

test("ls -q prints whole IDs and -n limits them, for scripts", async () => {
  const dataDir = await prepareStore();
  const { out } = await runCommand("ls -q -n 1", { dataDir });
  expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
});

test("--color overrides what the terminal supports", async () => {
  const dataDir = await prepareStore();
  const piped = { dataDir, coloured: false };
  const inTerminal = { dataDir, coloured: true };
  expect((await runCommand("ls --color always", piped)).out).toContain("\x1b[36m5e551011");
  expect((await runCommand("ls --color auto", piped)).out).not.toContain("\x1b");
  expect((await runCommand("ls --color never", inTerminal)).out).not.toContain("\x1b");
  expect((await runCommand("ls --color sometimes", piped)).err).toContain("It must be always, never or auto");
});

test("config set changes one member of config.json and config unset removes it", async () => {
  const dataDir = newStore();
  const file = join(dataDir, "config.json");
  const stored = () => JSON.parse(readFileSync(file, "utf8"));
  const typed = async (line: string, env = {}) => runCommand(line, { dataDir, env });
  expect((await typed("config set project shop")).out).toContain(`project is now shop. Saved in ${file}`);
  await typed("config set THOUGHTBOX_OBSERVATORY_PORT 1730");
  expect(stored()).toEqual({ project: "shop", observatory: { port: "1730" } });
  const { out } = await typed("config --json");
  expect(JSON.parse(out).settings).toContainEqual({
    key: "observatory.port",
    value: 1730,
    source: `"observatory.port" in ${file}`,
  });
  expect((await typed("config set project mall", { THOUGHTBOX_PROJECT: "kiosk" })).out).toContain(
    "THOUGHTBOX_PROJECT in your environment overrides it",
  );
  await typed("config unset observatory.port");
  expect(stored()).toEqual({ project: "mall" });
});

test("config get prints one value in full, and config shortens none", async () => {
  const dataDir = join(tempDir(), "a-directory-with-a-long-name".repeat(3));
  expect((await runCommand("config get dataDir", { dataDir })).out).toBe(`${dataDir}\n`);
  expect((await runCommand("config", { dataDir })).out).not.toContain("…");
  expect((await runCommand("config get prot", { dataDir })).err).toContain("Did you mean port?");
});

test("latest is the newest session of the current project, and commands that change a session name it", async () => {
  const dataDir = newStore();
  const inShop = { dataDir, env: { THOUGHTBOX_PROJECT: "shop" } };
  await runCommand("call thought sessionTitle=Pool thought=x", inShop);
  await runCommand("call thought sessionTitle=Elsewhere thought=x", { dataDir });
  expect((await runCommand("tag latest -- slow", inShop)).out).toContain("Pool (project shop)");
  expect((await runCommand("rename latest Pools", inShop)).out).toContain("is now: Pools (project shop)");
  expect((await runCommand("rm latest", inShop)).out).toContain("Pools (project shop)");
  expect((await runCommand("rm latest", inShop)).err).toContain('no sessions in project "shop"');
  expect((await runCommand("rm latest", { dataDir })).out).toContain("Elsewhere (project _default)");
});

const elsewhere = 'There are no sessions in project "nosuch". Projects with sessions: shop';

test("latest stays in a project that was chosen, and for changes in the current project", async () => {
  const dataDir = newStore();
  await runCommand("call thought sessionTitle=Pool thought=x --project shop", { dataDir });
  const commands = ["show", "read", "export", "analyze", "verify", "open", "rm"].map(
    (name) => `${name} latest`,
  );
  for (const line of [...commands, "rename latest x", "tag latest x", "watch"]) {
    const { code, out, err } = await runCommand(`${line} --project nosuch`, { dataDir });
    expect({ code, out }, line).toEqual({ code: 1, out: "" });
    expect(err, line).toContain(elsewhere);
  }
  expect((await runCommand("rm latest", { dataDir })).err).toContain('no sessions in project "_default"');
  expect((await runCommand("show latest", { dataDir })).out).toContain("Pool");
});

test("an empty result in a project without sessions names the projects that have some", async () => {
  const dataDir = newStore();
  await runCommand("call thought sessionTitle=Pool thought=x --project shop", { dataDir });
  for (const line of ["ls", "search x", "recall x", "tasks", "notebook ls", "knowledge", "decisions"]) {
    expect(
      (await runCommand(`${line} --project nosuch --no-pager`, { dataDir, columns: 200 })).out,
      line,
    ).toContain(elsewhere);
    const { out } = await runCommand(`${line} --project nosuch --json`, { dataDir });
    expect(JSON.parse(out).hint, line).toBe(elsewhere);
  }
  expect((await runCommand("ls --tag zzz", { dataDir })).out).toBe("No sessions match these filters.\n");
  expect((await runCommand("ls -q --project nosuch", { dataDir })).out).toBe("");
  expect((await runCommand("ls -q", { dataDir: newStore() })).out).toBe("");
});

test("a command that reads reports a missing data directory and does not create it", async () => {
  const directory = tempDir();
  const missing = join(directory, "typo");
  for (const line of ["ls", "show latest", "search x", "export latest", "rm latest", "trash"]) {
    const { code, err } = await runCommand(`${line} --data-dir typo`, { dataDir: newStore(), directory });
    expect(err, line).toContain(`The data directory "${missing}" does not exist.`);
    expect(code, line).toBe(1);
  }
  expect(existsSync(missing)).toBe(false);
  expect((await runCommand("note --data-dir typo hello", { dataDir: newStore(), directory })).code).toBe(0);
  expect(existsSync(missing)).toBe(true);
});

test("export writes Markdown to a file that ends in .md, unless --format is given", async () => {
  const dataDir = await prepareStore();
  const directory = tempDir();
  await runCommand("export latest --to out.md", { dataDir, directory });
  expect(readFileSync(join(directory, "out.md"), "utf8")).toMatch(/^#/);
  await runCommand("export latest --format json --to json.md", { dataDir, directory });
  expect(readFileSync(join(directory, "json.md"), "utf8")).toMatch(/^\{/);
});

test.each([
  ["config set prot 1", /There is no setting "prot"\. Did you mean port\?/],
  ["config set port many", /port cannot be "many": it must be a whole number from 0 to 65535/],
  ["config set dataDir /tmp", /only THOUGHTBOX_DATA_DIR can set the directory/],
  ["config set databaseUrl postgres://a", /databaseUrl is a secret: set DATABASE_URL/],
  ["config set host 0.0.0.0", /Outside the default data directory, only HOST can set host/],
  ["config set project", /config set project needs a value/],
  ["config put project shop", /Use get, set or unset/],
])("%s is refused and nothing is written", async (typed, sentence) => {
  const dataDir = newStore();
  const { code, err } = await runCommand(typed, { dataDir });
  expect(err).toMatch(sentence);
  expect(code).toBeGreaterThan(0);
  expect(() => readFileSync(join(dataDir, "config.json"))).toThrow("ENOENT");
});

test.each([
  ["show", /show needs <session>, for example latest\./],
  ["call", /thoughtbox call help lists the operations/],
  ["connect cursr", /Did you mean cursor\?/],
  ["note ''", /A note needs some text/],
  ["read latest x", /"x" is not a thought number/],
])("%s is refused in terms of what the user typed, or with the next step", async (typed, sentence) => {
  const { code, err } = await runCommand(typed, { dataDir: await prepareStore() });
  expect(err).toMatch(sentence);
  expect(code).toBe(2);
});

test("connect asks again after an answer that is neither yes nor no, and then leaves the question open", async () => {
  const dataDir = newStore();
  mkdirSync(join(dirname(dataDir), ".cursor"));
  const { err, out } = await runCommand("connect cursor", { dataDir, input: "maybe" });
  expect(err).toContain("Please type yes or no: ");
  expect(out).toContain("No transcript is read until you agree");
  expect((await runCommand("connect cursor", { dataDir, input: "no" })).out).toContain("are not recorded");
});

test("connect suggests --all if it found several clients", async () => {
  const dataDir = newStore();
  mkdirSync(join(dirname(dataDir), ".cursor"));
  expect((await runCommand("connect", { dataDir })).out).toContain("Connect: thoughtbox connect cursor\n");
  mkdirSync(join(dirname(dataDir), "claude"));
  expect((await runCommand("connect", { dataDir })).out).toContain("Connect: thoughtbox connect --all\n");
});

/**
 * A shell joins lines that end with a backslash. An editor's settings cannot be continued this way. A call
 * stays whole.
 */
const isToCopy = /^ {2}(?:vim\.|thoughtbox call help topic=\w+$)/;

test.each(["help", "config", ...commands.map(({ name }) => `${name} --help`)])(
  "%s fits 36 columns",
  async (typed) => {
    const { out } = await runCommand(typed, { dataDir: newStore(), columns: 36 });
    expect(out.split("\n").filter((line) => line.length > 36 && !isToCopy.test(line))).toEqual([]);
  },
);

test("an example that is too wide for the terminal can still be copied", async () => {
  const examples = commands.flatMap(({ name, examples }) => examples.map(({ line }) => ({ name, line })));
  for (const { name, line } of examples.filter((one) => !one.line.startsWith("vim."))) {
    const { out } = await runCommand(`${name} --help`, { dataDir: newStore(), columns: 36 });
    expect(out.replaceAll(/ \\\n +/g, " ")).toContain(`\n  ${line}\n`);
  }
});

test("the messages of a server that starts fit a narrow terminal, apart from addresses", async () => {
  const narrow = { columns: 36, errorIsTerminal: true, stop: AbortSignal.abort(), dataDir: newStore() };
  const env = { PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" };
  for (const typed of ["observatory", "open", "serve"]) {
    const { err } = await runCommand(typed, { ...narrow, env });
    expect(err).toContain("stop with Ctrl-C");
    const wide = err.split("\n").filter((line) => line.length > 36 && !/https?:|\/token$/.test(line));
    expect(wide).toEqual([]);
  }
});

test("in a narrow terminal, ls drops the count to show the title", async () => {
  const dataDir = newStore();
  await runCommand(["call", "thought", "thought=x", "sessionTitle=Orders charged twice"], { dataDir });
  expect((await runCommand("ls", { dataDir, columns: 36 })).out).toContain("Orders charged twice");
  expect((await runCommand("ls", { dataDir, columns: 60 })).out).toContain("thoughts");
});

test("capture forget reports that a project has no captured sessions", async () => {
  const { out } = await runCommand("capture forget nope --yes", { dataDir: await prepareStore() });
  expect(out).toContain("Project nope has no captured sessions, so nothing was erased.");
});

test.each(["capture forget a-project-with-a-long-name", "connect cursor"])(
  "%s asks in lines that fit the terminal",
  async (typed) => {
    const dataDir = await prepareStore();
    mkdirSync(join(dirname(dataDir), ".cursor"));
    const { err } = await runCommand(typed, { dataDir, columns: 36, input: "no", inputIsTerminal: true });
    const question = err.slice(0, err.lastIndexOf(/connect/.test(typed) ? "Type yes" : "[y/N]"));
    expect(question).toContain("?");
    expect(question.split("\n").filter((line) => line.length > 36)).toEqual([]);
  },
);

test("watch shows the time of each thought on the user's clock", async () => {
  const dataDir = newStore();
  const args = "sessionTitle=Watched thought=first nextThoughtNeeded=false";
  await runCommand(`call thought ${args}`, { dataDir, now: "2026-11-15T12:34:56.000Z" });
  const zone = process.env["TZ"];
  process.env["TZ"] = "Asia/Tokyo";
  const { out } = await runCommand("watch", { dataDir });
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
  expect(out).toContain("1  21:34:56\n");
});

test("watch shows the last thoughts, then new ones, and ends with the session", async () => {
  const dataDir = newStore();
  const call = async (args: object) =>
    JSON.parse((await runCommand(["call", "thought", JSON.stringify(args)], { dataDir })).out);
  const { sessionId } = await call({ thought: "first", sessionTitle: "Watched" });
  await call({ sessionId, thought: "second" });
  const watching = runCommand("watch latest -n 1", { dataDir });
  await call({ sessionId, thought: "third", nextThoughtNeeded: false });
  const { code, out, err } = await watching;
  expect(code).toBe(0);
  expect(err).toBe("The session is completed.\n");
  expect(out).toMatch(/^Watched\n\n2 {2}\d\d:\d\d:\d\d\n {2}second\n\n3 {2}\d\d:\d\d:\d\d\n {2}third\n$/);
  const whole = await runCommand("watch latest --json", { dataDir });
  expect(
    whole.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).thought),
  ).toEqual(["first", "second", "third"]);
});

test("open starts the Observatory and opens the session in it", async () => {
  const dataDir = await prepareStore();
  const stopping = new AbortController();
  const opened: string[] = [];
  const env = { THOUGHTBOX_OBSERVATORY_PORT: "0", PORT: "0" };
  const first = runCommand("open latest", {
    dataDir,
    env,
    stop: stopping.signal,
    browse(address) {
      opened.push(address);
      stopping.abort();
      return true;
    },
  });
  expect((await first).code).toBe(0);
  expect(opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+#\/s\/5e55/);
});

test("open uses the Observatory that another command shows for this store, on any port, and no other", async () => {
  const dataDir = await prepareStore();
  const stopping = new AbortController();
  const env = { THOUGHTBOX_OBSERVATORY_PORT: "0", PORT: "0" };
  const start = { dataDir, env, stop: stopping.signal };
  const running = await new Promise<string>((resolve) => {
    const show = (address: string) => {
      resolve(new URL(address).origin);
      return true;
    };
    void runCommand("open", { ...start, browse: show });
  });
  const opened: string[] = [];
  const browse = (address: string) => opened.push(address) > 0;
  expect(await runCommand("open latest", { ...start, browse })).toMatchObject({ code: 0, err: "" });
  expect(opened[0]).toMatch(new RegExp(`^${running}/#/s/5e55`));

  const port = new URL(running).port;
  const elsewhere = { dataDir: newStore(), env: { THOUGHTBOX_OBSERVATORY_PORT: port }, browse };
  const { code, err } = await runCommand("open", elsewhere);
  expect(code).toBe(1);
  expect(err).toContain(
    `the Observatory at ${running}/ shows another store. To show this one: THOUGHTBOX_OBSERVATORY_PORT=${Number(port) + 1} thoughtbox observatory`,
  );
  expect(opened).toHaveLength(1);
  stopping.abort();
});

test("open prints the address if no browser opens", async () => {
  const dataDir = await prepareStore();
  const stopping = new AbortController();
  const { out, err } = await runCommand("observatory --open", {
    dataDir,
    env: { THOUGHTBOX_OBSERVATORY_PORT: "0" },
    stop: stopping.signal,
    browse() {
      stopping.abort();
      return false;
    },
  });
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  expect(err).toContain("Open the address above yourself");
});

test("help explains the topics that agents can read", async () => {
  const dataDir = newStore();
  const { code, out } = await runCommand("help branches", { dataDir });
  expect(code).toBe(0);
  expect(out).toMatch(/^Branches\n/);
});

test("help on a name with two meanings leads to both pages", async () => {
  const dataDir = newStore();
  const page = async (line: string) => (await runCommand(line, { dataDir })).out;
  expect(await page("help log")).toBe(await page("help show"));
  for (const topic of ["export", "knowledge", "models", "sessions", "tasks", "log"]) {
    const line = `thoughtbox call help topic=${topic}`;
    expect(await page(`help ${topic}`), topic).toContain(`\n  ${line}\n`);
    expect((await runCommand(line, { dataDir })).code, topic).toBe(0);
  }
  expect(await page("help git scan")).toBe(await page("help git"));
  expect(await page("help config set")).toBe(await page("config --help"));
  for (const line of ["help git nope", "help ls surplus", "help thought surplus"])
    expect((await runCommand(line, { dataDir })).err, line).toMatch(/does not take "(?:nope|surplus)"/);
  const { err } = await runCommand("help nope", { dataDir });
  expect(err).toContain(
    "thoughtbox help lists the commands, and thoughtbox call help lists the operations and topics.",
  );
});

test("-q hides the hints of commands that write", async () => {
  const dataDir = await prepareStore();
  const run = async (line: string) => (await runCommand(line, { dataDir })).out;
  for (const line of [
    "note x",
    "decide One store --chosen SQLite --because small",
    "notebook new Cents",
    "connect",
  ]) {
    expect(await run(line), line).toContain("thoughtbox ");
    expect(await run(`${line} -q`), line).not.toMatch(/: thoughtbox (?:call|decisions|notebook)/);
  }
  expect(await run("rm latest -q")).not.toContain("Undo");
  expect(await run("knowledge --search zzz -q")).toBe("No notes found.\n");
});

test("a command to copy is never wrapped, and has a separate line in a narrow terminal", async () => {
  const dataDir = await prepareStore();
  const run = async (line: string) => (await runCommand(line, { dataDir, columns: 36 })).out;
  expect(await run("note x")).toBe("Noted.\nRead it:\n  thoughtbox call show doc=notes\n");
  expect(await run("notebook new Cents")).toMatch(
    /\nAdd code:\n {2}thoughtbox call notebook\.add_cell notebookId=\S+ type=code content='1 \+ 1'\n$/,
  );
  expect(await run("knowledge --search zzz")).toContain(
    "\n  thoughtbox call help topic=knowledge.create_pattern\n",
  );
});

test("capture names the command that turns it on, and pausing does not count as an answer", async () => {
  const dataDir = await prepareStore();
  const state = async () => JSON.parse((await runCommand("capture status --json", { dataDir })).out).state;
  for (const verb of ["status", "pause", "resume"]) {
    const { out } = await runCommand(`capture ${verb}`, { dataDir, columns: 200 });
    expect(out, verb).toContain("Turn it on with: thoughtbox connect --capture=yes");
    expect(await state(), verb).toBe("unasked");
  }
  await runCommand("capture forget nope --yes", { dataDir });
  expect(await state(), "forget").toBe("unasked");
  await runCommand("connect --capture=no", { dataDir });
  const { out } = await runCommand("capture status", { dataDir });
  expect(out).toContain("Turn it on with: thoughtbox connect --capture=yes");
});

test("show prints a ★ beside a starred thought and each comment below it", async () => {
  const dataDir = await prepareStore();
  const { out: id } = await runCommand("ls -q -n 1", { dataDir });
  const remark = (...given: string[]) =>
    runCommand(["call", "remark", `sessionId=${id.trim()}`, "thoughtNumber=1", ...given], { dataDir });
  expect((await remark("star=true")).code).toBe(0);
  expect((await remark("comment=Ask Ada first.")).code).toBe(0);
  const { out } = await runCommand(["show", id.trim()], { dataDir });
  const [first = "", below = ""] = out
    .split("\n")
    .slice(out.split("\n").findIndex((line) => /^\S 1 /.test(line)));
  expect(first).toContain("★");
  expect(below).toContain("“Ask Ada first.”");
  const shown = JSON.parse((await runCommand(["show", id.trim(), "--json"], { dataDir })).out);
  expect(shown.thoughts[0].remarks).toMatchObject({ comments: [{ text: "Ask Ada first." }] });
});

test("no list warns about a limit that the person did not set", async () => {
  const dataDir = newStore();
  for (const line of ["ls", "search x", "recall x", "tasks", "decisions"]) {
    const { out } = await runCommand(`${line} --json`, { dataDir });
    expect(JSON.parse(out).warnings ?? [], line).toEqual([]);
  }
});

test("tasks shows one plan or task: what is done, now and next", async () => {
  const dataDir = newStore();
  await runCommand(["call", "tasks_create", "title=Reports by eight"], { dataDir });
  await runCommand(["call", "tasks_create", "title=Find the delay", 'steps=["Measure","Decide"]'], {
    dataDir,
  });
  const { out } = await runCommand("tasks task-001", { dataDir });
  expect(out.split("\n")).toEqual([
    "TASK-001  Find the delay",
    "todo · 0 of 2 steps done · PLAN-001",
    "now         s:0 Measure",
    "next        s:1 Decide",
    "",
  ]);
  expect((await runCommand("tasks TASK-009", { dataDir })).err).toContain("thoughtbox tasks lists them.");
});

test("consecutive hits in one session share a heading, and a shortened hit ends with an ellipsis", async () => {
  const dataDir = await prepareStore();
  const { out } = await runCommand("search resolver", { dataDir, columns: 80 });
  expect(out.match(/^5e551011/gm)).toHaveLength(1);
  const narrow = await runCommand("search resolver", { dataDir, columns: 36, coloured: true });
  expect(narrow.out).toContain("…");
});

test("lst is corrected to ls, not to the language server", async () => {
  expect((await runCommand("lst", { dataDir: newStore() })).err).toContain("Did you mean ls?");
});

test("decisions shows one decision by its ID", async () => {
  const dataDir = newStore();
  const run = async (line: string) => (await runCommand(line, { dataDir })).out;
  const made = await run("decide One store --chosen SQLite --because small");
  await run("decide Two stores --chosen Redis --because fast");
  const [id] = /DEC-\w+/.exec(made) ?? [];
  const shown = await run(`decisions ${id}`);
  expect(shown).toContain("One store");
  expect(shown).not.toContain("Two stores");
  expect(await run("decisions nothing-like-it")).toBe(
    "No decisions match.\nList all: thoughtbox decisions\n",
  );
});

test.each([true, false])(
  "stdio reports what it waits for only in a terminal: %s",
  async (inputIsTerminal) => {
    let said = "";
    const error = (text: string) => {
      said += text;
    };
    const server = { serve: async () => undefined, close: async () => undefined };
    const terminal = { inputIsTerminal, error, openStdio: async () => server } as unknown as Terminal;
    await stdio.run({ terminal, words: [], flags: { has: () => false, text: () => undefined } as never });
    expect(said).toBe(inputIsTerminal ? "Waiting for an MCP client on stdin.\nStop with Ctrl-C.\n" : "");
  },
);

test("a suggested command repeats the options that chose the store", async () => {
  const dataDir = await prepareStore();
  const run = async (...typed: string[]) => {
    const { out, err } = await runCommand([...typed, "--data-dir", dataDir], {
      dataDir: newStore(),
      columns: 200,
    });
    return out + err;
  };
  const where = `--data-dir ${dataDir}`;
  expect(await run("rm", "5e551022")).toContain(`thoughtbox undelete 5e551022 ${where}\n`);
  expect(await run("trash", "--project", "shop")).toContain(`undelete 5e551022 ${where} --project shop\n`);
  expect(await run("trash", "--project", "shop", "-q")).not.toContain("--data-dir");
  const noted = await run("note", "x", "--workspace", "my/team");
  expect(noted.replaceAll(/\s+/g, " ")).toContain(
    `Read it: thoughtbox call show doc=notes workspace=my/team ${where}`,
  );
  const made = await run("decide", "One", "--chosen", "x", "--because", "y", "--workspace", "team");
  expect(made.replaceAll(/\s+/g, " ")).toContain(`thoughtbox decisions ${where} --workspace team`);
  expect(await run("read", "5e551011", "99")).toMatch(/thoughtbox show [0-9a-f-]{36} --data-dir /);
  expect(await run("tasks", "TASK-999")).toContain("thoughtbox tasks lists them.\n");
  expect(await run("capture")).toContain(`thoughtbox connect --capture=yes ${where}\n`);
  expect(await run("connect")).toContain(`thoughtbox connect --capture=yes ${where}\n`);
});
