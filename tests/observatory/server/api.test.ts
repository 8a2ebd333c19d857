import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, createTranscript } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeRoot, clientHomes, writeLines } from "../../support/transcripts.ts";
import { openAgent, openObservatory } from "./observatory.testing.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;

/** Imports a session that wrote a file. */
async function importWrite({ call, dataDir }: ReturnType<typeof openAgent>, id: string, file: string) {
  const transcript = createTranscript({ dataDir }, `${id.repeat(8)}-2222-4333-8444-555555555555`);
  transcript.ask("Write the file.", 1);
  const content = file.includes("elsewhere") ? "export {};" : "export const pool = 40;";
  transcript.use("Write", { file_path: file, content }, { minute: 2 });
  writeLines(join(claudeRoot({ dataDir }), transcript.path), transcript.lines);
  return call("transcripts_import", { ref: { path: transcript.path }, root_dir: claudeRoot({ dataDir }) });
}

describe("the API", () => {
  test("reports its health, version and project", async () => {
    const { json } = await openObservatory({
      env: { THOUGHTBOX_PROJECT: "shop", THOUGHTBOX_PROJECT_LOCK: "true" },
    });
    expect(await json("/api/health")).toMatchObject({
      status: "ok",
      version: "0.0.0-test",
      project: "shop",
      viewers: 0,
    });
  });

  test("lists sessions with their story, by status, words and page", async () => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Leases", tags: ["queue"] });
    for (const thought of ["S1|Q|why twice?", "S2|C|S1|the lease", "S3|C|S1|the key"])
      await call("thought", { sessionId, thought });
    await call("thought", { sessionId, thought: "S4|R|^S3|not the key", revisesThought: 3 });
    await call("thought", { sessionId, thought: "S5|C|S1|the clock" });
    await call("thought", { sessionId, thought: "S6|E|A frozen clock changes nothing ⊖ [S5]" });
    await call("start_new", { sessionTitle: "Other" });
    const { sessions, total } = await json("/api/sessions?search=leases&status=active");
    expect(total).toBe(1);
    expect(sessions[0]).toMatchObject({
      id: sessionId,
      tags: ["queue"],
      thoughtCount: 6,
      story: {
        began: { type: "Q", text: "S1|Q|why twice?" },
        stands: { thoughtNumber: 2 },
        fingerprint: "QCCRCE",
      },
    });
    expect(await json("/api/sessions?limit=1&offset=1")).toMatchObject({
      total: 2,
      limit: 1,
      offset: 1,
      hasMore: false,
    });
  });

  test("shows a file of its repository with the writer of each line, and nothing outside it", async () => {
    const repository = createRepository(tempDir());
    repository.write("src/pool.ts", "export const pool = { size: 40 };\n");
    repository.commit("feat: pool", 1);
    const { json, get, call } = await openObservatory({ workingDirectory: repository.directory });
    expect(await json("/api/why?file=src/pool.ts")).toMatchObject({
      total: 1,
      runs: [{ from: 1, to: 1, text: "export const pool = { size: 40 };" }],
      commits: [{ subject: "feat: pool" }],
    });
    expect(await json("/api/why?file=src/pool.ts&line=1")).toMatchObject({ answers: [{ lines: "1" }] });
    const { sessionId } = await call("thought", { thought: "Size the pool." });
    expect(await json(`/api/why?session=${sessionId}`)).toMatchObject({ sessionId, thoughts: [] });
    expect((await json(`/api/why?thought=${sessionId}:1`)).note).toContain(
      "No recorded edit directly follows",
    );
    expect((await get("/api/why")).status).toBe(400);
    expect((await get("/api/why?file=/etc/passwd")).status).toBe(400);
    expect((await get("/api/why?file=../outside.ts")).status).toBe(400);
    expect((await get("/api/why?commit=HEAD&file=../outside.ts")).status).toBe(400);
  });

  test("marks files that another project changed, if its own project only changed files elsewhere", async () => {
    const repository = createRepository(tempDir());
    repository.write("src/pool.ts", "export const pool = 40;\n");
    repository.commit("feat: pool", 5);
    const dataDir = join(tempDir(), "data");
    const open = (project: string) => ({ ...clientHomes(dataDir), THOUGHTBOX_PROJECT: project });
    const other = openAgent(dataDir, open("other"));
    const { sessionId } = await importWrite(other, "a", join(repository.directory, "src/pool.ts"));
    const observatory = await openObservatory({
      dataDir,
      env: open("mine"),
      workingDirectory: repository.directory,
    });
    const { json } = observatory;
    await importWrite(observatory, "b", "/home/ada/elsewhere/main.ts");
    expect(await json("/api/repository")).toMatchObject({ recent: [{ path: "src/pool.ts", sessionId }] });
  });

  test("finds reasons in the project of its repository, as the command line does there", async () => {
    const repository = createRepository(join(tempDir(), "shop"));
    repository.write("src/pool.ts", "export const pool = 40;\n");
    repository.commit("feat: pool", 5);
    const dataDir = join(tempDir(), "data");
    const homes = clientHomes(dataDir);
    const inShop = openAgent(dataDir, { ...homes, THOUGHTBOX_PROJECT: "shop" }, repository.directory);
    const { sessionId } = await importWrite(inShop, "a", join(repository.directory, "src/pool.ts"));
    await inShop.call("decide", {
      title: "One pool",
      chosen: "One",
      because: "Two wait.",
      files: ["src/pool.ts"],
    });
    const observatory = await openObservatory({
      dataDir,
      env: homes,
      workingDirectory: repository.directory,
    });
    const { json } = observatory;
    const { session } = await importWrite(observatory, "b", "/home/ada/elsewhere/src/pool.ts");
    expect(session.project).toBe("_default");
    const lines = { file: "src/pool.ts", line: 1 };
    const onPage = await json("/api/why?file=src/pool.ts&line=1");
    expect(onPage).toMatchObject({
      answers: [{ by: { sessionId, how: "sure" } }],
      pinned: [{ title: "One pool" }],
    });
    expect(onPage.answers[0].by).toEqual((await inShop.call("why", lines)).answers[0].by);
    expect(await json("/api/why?file=src/pool.ts")).toMatchObject({
      runs: [{ from: 1, to: 1, writer: 1 }],
      writers: [{ sessionId }],
    });
    expect(await json("/api/repository")).toMatchObject({ recent: [{ path: "src/pool.ts", sessionId }] });
  });

  test("lists a folder of its repository, and what a range of commits changed in a file", async () => {
    const repository = createRepository(tempDir());
    repository.write("src/pool.ts", `export const key = "${secret}";\n`);
    repository.write("README.md", "# Shop\n");
    repository.commit("feat: start", 1);
    repository.git(["checkout", "--quiet", "-b", "feature/size"]);
    repository.write("src/pool.ts", `export const size = 1;\nexport const other = "${secret}";\n`);
    repository.commit("feat: size", 2);
    const { json, get } = await openObservatory({ workingDirectory: repository.directory });
    expect(await json("/api/repository")).toMatchObject({
      repository: { branch: "feature/size", range: "main...feature/size" },
      entries: [
        { name: "src", isFolder: true, changed: [] },
        { name: "README.md", isFolder: false, changed: [] },
      ],
      recent: [],
    });
    expect(await json("/api/repository?folder=src")).toMatchObject({ entries: [{ name: "pool.ts" }] });
    expect((await json("/api/repository?folder=../..")).entries).toEqual([]);
    const range = encodeURIComponent("main...feature/size");
    expect(await json(`/api/why?commit=${range}`)).toEqual({ commits: 1, files: ["src/pool.ts"] });
    expect(await json(`/api/why?commit=${range}&comment=true`)).toMatchObject({
      sections: [{ kind: "unexplained", items: ["`src/pool.ts:1-2`"] }],
    });
    const changed = await json(`/api/why?commit=${range}&file=src/pool.ts`);
    expect(changed).toMatchObject({ added: 2, removed: 1, explained: 0, hunks: [{ from: 1, to: 2 }] });
    expect(JSON.stringify(changed)).not.toContain(secret);
    expect((await get("/api/why?commit=nowhere...HEAD")).status).toBe(400);
    const { json: elsewhere } = await openObservatory({ workingDirectory: tempDir() });
    expect(await elsewhere("/api/repository")).toEqual({ folder: "", entries: [], recent: [] });
  });

  test("shows at most 500 lines of a hunk, even if more are requested", async () => {
    const repository = createRepository(tempDir());
    repository.write("README.md", "# Shop\n");
    repository.commit("feat: start", 1);
    repository.write("sizes.ts", "export {};\n".repeat(620));
    repository.commit("feat: sizes", 2);
    const { json } = await openObservatory({ workingDirectory: repository.directory });
    const read = async (to: string) => (await json(`/api/why?commit=HEAD&file=sizes.ts${to}`)).hunks[0];
    const few = await read("");
    expect([few.lines.length, few.moreLines]).toEqual([300, 320]);
    const many = await read("&to=10000000");
    expect([many.lines.length, many.moreLines]).toEqual([500, 120]);
  });

  test("reports an unknown notebook or cell", async () => {
    const { call, get } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Sums" });
    const { notebookId } = await call("notebook.create", { sessionId, name: "Sums" });
    for (const path of ["00000000-0000-4000-8000-000000000000", `${notebookId}/cells/nowhere?name=true`]) {
      const answer = await get(`/api/notebooks/${path}`);
      expect(answer.status, path).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: "UNKNOWN_ID" } });
    }
  });

  test("returns the cell that a recorded run links to, with secrets masked, and refuses an invalid cell", async () => {
    const { call, json, get } = await openObservatory();
    const { sessionId } = await call("start_new", { project: "shop" });
    const { notebookId } = await call("notebook.create", { sessionId, name: "Sums" });
    const { cellId } = await call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "sum.js" },
      content: `console.log("${secret}"); display({ mime: "text/html", data: "<b>x</b>" }); 99`,
    });
    await call("notebook.run_cell", { sessionId, notebookId, cellId, recordAs: { sessionId } });
    await call("notebook.update_cell", { sessionId, notebookId, cellId, content: "0" });
    const address = `/api/sessions/${sessionId}/cells/${cellId}?notebook=${notebookId}`;
    const cell = await json(`${address}&version=1`);
    expect(cell).toMatchObject({ filename: "sum.js", version: 1, status: "completed", value: "99" });
    expect(cell.displays).toEqual([{ mime: "text/html", data: "<b>x</b>" }]);
    expect(JSON.stringify(cell)).not.toContain(secret);
    expect(await json(address)).toMatchObject({ version: 2, source: "0" });
    expect((await get(`${address}&version=7`)).status).toBe(404);
    expect((await get(`/api/sessions/${sessionId}/cells/up?notebook=${notebookId}`)).status).toBe(400);
  });

  test("returns a session with the head of its chain, and a thought of any branch in full", async () => {
    const { call, json, get } = await openObservatory();
    const { sessionId } = await call("start_new", {});
    await call("thought", { sessionId, thought: "one" });
    await call("thought", { sessionId, thought: "x".repeat(30_000), branchId: "alt", branchFromThought: 1 });
    expect(await json(`/api/sessions/${sessionId}`)).toMatchObject({
      session: { branchCount: 1 },
      chain: { length: 2 },
      thoughts: [{ thought: "one" }, { branchId: "alt" }],
      from: 1,
      to: 2,
      total: 2,
    });
    expect(await json(`/api/sessions/${sessionId}?from=2`)).toMatchObject({
      thoughts: [{ branchId: "alt" }],
      from: 2,
    });
    for (const path of [`/api/sessions/${sessionId}`, `/api/sessions/${sessionId}/thoughts`]) {
      expect(await json(`${path}?limit=1&offset=1`)).toMatchObject({ from: 2, to: 2, total: 2 });
      expect((await json(`${path}?limit=1&offset=1`)).thoughts).toHaveLength(1);
      expect(await json(`${path}?offset=99`)).toMatchObject({ thoughts: [], total: 2 });
      expect((await get(`${path}?limit=x`)).status).toBe(400);
    }
    const { thought, hash } = await json(`/api/sessions/${sessionId}/thoughts/2?branch=alt`);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(thought.thought).toHaveLength(30_000);
    const range = await json(`/api/sessions/${sessionId}/thoughts?from=1&to=9`);
    expect(range).toMatchObject({ from: 1, to: 2, total: 2 });
    expect(range.thoughts[1]).toMatchObject({ textLength: 30_000 });
    expect(range.thoughts[1].thought).toHaveLength(20_000);
    for (const path of ["2", "2?branch=constructor", "2?branch=..%2f"])
      expect((await get(`/api/sessions/${sessionId}/thoughts/${path}`)).status).toBe(404);
    expect((await get(`/api/sessions/${sessionId}/thoughts/-1`)).status).toBe(400);
    expect((await get("/api/sessions/nobody")).status).toBe(404);
    expect((await get("/api/sessions?limit=x")).status).toBe(400);
    expect((await get("/api/unknown")).status).toBe(404);
  });

  test("finds thoughts by their words, and no notes", async () => {
    const { call, json, get } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Search" });
    await call("thought", { sessionId, thought: "nothing here" });
    await call("thought", { sessionId, thought: "the zephyr blows", branchId: "wind", branchFromThought: 1 });
    await call("notes_commit", { content: "a zephyr in a note, which is in no session" });
    const { hits } = await json("/api/search?q=zephyr");
    expect(hits).toMatchObject([
      { sessionId, thought: { id: `${sessionId}:wind:2`, thoughtNumber: 2, branchId: "wind" } },
    ]);
    expect((await get("/api/search")).status).toBe(400);
  });

  test("counts all matches by session, finds them in one, and leaves out thoughts without every word", async () => {
    const { call, json, get } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Zephyrs" });
    for (let n = 0; n < 60; n += 1) await call("thought", { sessionId, thought: `the zephyr blows ${n}` });
    await call("thought", { sessionId, thought: "a warm zephyr" });
    const { sessionId: other } = await call("start_new", { sessionTitle: "Titled: warm" });
    await call("thought", { sessionId: other, thought: "only warm", agentId: "codex" });
    expect(await json("/api/search/sessions?q=zephyr")).toEqual({
      thoughts: 61,
      sessions: [[sessionId, 61]],
    });
    expect(await json("/api/search/sessions?q=warm+zephyr")).toEqual({
      thoughts: 1,
      sessions: [[sessionId, 1]],
    });
    expect(await json("/api/search/sessions?q=cold+zephyr")).toMatchObject({ thoughts: 61, relaxed: true });
    expect(await json(`/api/sessions/${sessionId}/matches?q=warm`)).toEqual({ positions: [61] });
    const { hits } = await json("/api/search?q=warm+zephyr&words=all");
    expect(hits).toMatchObject([{ sessionId, thought: { thoughtNumber: 61 } }]);
    // A match in a session's title does not hide the matches in its thoughts.
    const older = await json(`/api/search?q=zephyr&session=${sessionId}&order=newest&limit=50&offset=30`);
    expect(older.hits).toHaveLength(32);
    expect(await json("/api/sessions?story=false&limit=1000")).toMatchObject({
      sessions: [{ id: other, agent: "codex" }, { id: sessionId }],
    });
    for (const path of ["/api/search/sessions", `/api/sessions/${sessionId}/matches`])
      expect((await get(path)).status).toBe(400);
  });

  test("finds the only thought with every word, even if a thousand newer ones contain one of them", async () => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Zephyrs" });
    await call("thought", { sessionId, thought: "a warm zephyr" });
    const timestamp = new Date().toISOString();
    const nodes = Array.from({ length: 1_300 }, (_, n) => ({
      data: {
        ...{ thought: `the zephyr blows ${n}`, thoughtNumber: n + 1, totalThoughts: 1_300 },
        ...{ nextThoughtNeeded: true, timestamp },
      },
    }));
    const id = "00000000-0000-4000-8000-000000000001";
    const times = { createdAt: timestamp, updatedAt: timestamp, lastAccessedAt: timestamp };
    const counts = { thoughtCount: 1_300, branchCount: 0 };
    const session = { id, title: "Many", tags: [], status: "active", ...times, ...counts };
    await call("session.import", { content: JSON.stringify({ version: "1.0", session, nodes }) });
    const found = await json("/api/search?q=warm+zephyr&words=all&limit=50&perSession=5");
    expect(found).toMatchObject({ hits: [{ sessionId, thought: { thoughtNumber: 1 } }] });
    expect(found.hits).toHaveLength(1);
    expect(found).not.toHaveProperty("relaxed");
  });

  test("shares a session in full, with secrets masked and counted", async () => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: `Uses ${secret}` });
    for (let n = 0; n < 70; n += 1)
      await call("thought", { sessionId, thought: n === 66 ? `key ${secret}` : `t${n}` });
    const shared = await json(`/api/sessions/${sessionId}/share`);
    expect(JSON.stringify(shared)).not.toContain(secret);
    expect(shared).toMatchObject({ secretsMasked: 2, chain: { length: 70 } });

    expect(shared.thoughts.map(({ position }: { position: number }) => position)).toEqual(
      Array.from({ length: 70 }, (_, n) => n + 1),
    );
  });

  test("masks the names of a project and an agent in a shared session", async () => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Names", project: secret });
    await call("thought", { sessionId, thought: "t", agentId: secret });
    const shared = await json(`/api/sessions/${sessionId}/share`);
    expect(JSON.stringify(shared)).not.toContain(secret);
    // Secrets are masked in the project, its tag and the agent.
    expect(shared).toMatchObject({ secretsMasked: 3 });
  });

  test("shares the runs that the session recorded, with code, output and pictures", async () => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { project: "shop" });
    const { notebookId } = await call("notebook.create", { sessionId, name: "Sums" });
    const { cellId } = await call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "sum.js" },
      content: `console.log("${secret}"); display({ mime: "image/png", data: new Uint8Array(60_000) }); 99`,
    });
    await call("notebook.run_cell", { sessionId, notebookId, cellId, recordAs: { sessionId } });
    await call("notebook.update_cell", { sessionId, notebookId, cellId, content: "0" });
    await call("thought", {
      sessionId,
      thought: `See thoughtbox://notebooks/${notebookId}/cells/${sessionId}`,
    });
    const shared = await json(`/api/sessions/${sessionId}/share`);
    const [address = "", ...others] = Object.keys(shared.cells);
    const cell = shared.cells[address];
    expect(others).toEqual([]);
    expect(shared.thoughts[0].thought).toContain(address);
    expect(cell).toMatchObject({ filename: "sum.js", version: 1, status: "completed", value: "99" });
    expect(cell.source).toContain("console.log");
    expect(cell.displays).toEqual([{ mime: "image/png", data: Buffer.alloc(60_000).toString("base64") }]);
    expect(JSON.stringify(shared)).not.toContain(secret);
  });

  test("neither shares nor shows cells of other projects, even if a link names their session", async () => {
    const { call, json, get } = await openObservatory();
    const { sessionId: other } = await call("start_new", { project: "other" });
    const { notebookId } = await call("notebook.create", { sessionId: other, name: "Theirs" });
    const { cellId } = await call("notebook.add_cell", {
      ...{ sessionId: other, notebookId, type: "code", filename: "theirs.js", content: "'not yours'" },
    });
    const { sessionId } = await call("start_new", { project: "shop" });
    const address = `thoughtbox://notebooks/${notebookId}/cells/${cellId}`;
    for (const link of [address, `${address}?sessionId=${other}`, `${address}?version=1&sessionId=${other}`])
      await call("thought", { sessionId, thought: `See ${link}` });
    expect((await json(`/api/sessions/${sessionId}/share`)).cells).toEqual({});
    const panel = `/api/sessions/${sessionId}/cells/${cellId}?notebook=${notebookId}`;
    for (const path of [panel, `${panel}&session=${other}`]) expect((await get(path)).status).toBe(400);
    const exported = await call("session.export", { sessionId, format: "markdown" });
    expect(JSON.stringify(exported)).not.toContain("not yours");
    expect(await json(`/api/sessions/${other}/cells/${cellId}?notebook=${notebookId}`)).toMatchObject({
      filename: "theirs.js",
    });
  });

  test("masks secrets in views unless that is switched off, and always masks them in shared sessions", async () => {
    for (const [secrets, isShown] of [
      ["warn", false],
      ["off", true],
    ] as const) {
      const { call, json, look } = await openObservatory({ env: { THOUGHTBOX_SECRETS: secrets } });
      const { sessionId } = await call("start_new", { sessionTitle: `T ${secret}`, tags: [secret] });
      await call("thought", { sessionId, thought: `S1|C|the password is ${secret}` });
      const viewer = await look();
      viewer.say({ action: "subscribe", channel: "sessions" });
      viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
      await viewer.event("session:snapshot");
      await call("thought", { sessionId, thought: `again ${secret}` });
      await viewer.event("thought:added");
      const seen = [
        ...viewer.texts,
        ...(await Promise.all(
          ["", `/${sessionId}`, `/${sessionId}/thoughts`, `/${sessionId}/thoughts/1`].map(async (path) =>
            JSON.stringify(await json(`/api/sessions${path}`)),
          ),
        )),
        JSON.stringify(await json("/api/search?q=password")),
      ];
      expect(seen).not.toEqual([]);
      for (const text of seen) expect(text.includes(secret), text).toBe(isShown);
      const handedOn = JSON.stringify(await json(`/api/sessions/${sessionId}/share`));
      expect(handedOn).toContain("[secret:");
      expect(handedOn).not.toContain(secret);
    }
  });
});

describe("locks", () => {
  test("a project lock hides every other project in lists, by ID, in searches and in live events", async () => {
    const open = await openObservatory({ env: { THOUGHTBOX_PROJECT: "theirs" } });
    const { sessionId } = await open.call("start_new", { sessionTitle: "Foreign" });
    await open.call("thought", { sessionId, thought: "foreign words" });
    const locked = await openObservatory({
      dataDir: open.dataDir,
      env: { THOUGHTBOX_PROJECT: "ours", THOUGHTBOX_PROJECT_LOCK: "true" },
    });
    expect(await locked.json("/api/sessions?project=theirs")).toMatchObject({ sessions: [], total: 0 });
    expect(await locked.json("/api/search?q=foreign&project=theirs")).toMatchObject({ hits: [] });
    expect(await locked.json("/api/search/sessions?q=foreign&project=theirs")).toEqual({
      thoughts: 0,
      sessions: [],
    });
    for (const path of ["", "/thoughts", "/thoughts/1", "/share", "/matches?q=foreign"])
      expect((await locked.get(`/api/sessions/${sessionId}${path}`)).status, path).toBe(404);
    const viewer = await locked.look();
    viewer.say({ action: "subscribe", channel: "sessions" });
    viewer.say({ action: "subscribe", channel: "reasoning" });
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    expect((await viewer.event("session:gone")).data.reason).toBe("unknown");
    await open.call("thought", { sessionId, thought: "more foreign words" });
    const own = await locked.call("start_new", { sessionTitle: "Own" });
    await locked.call("thought", { sessionId: own.sessionId, thought: "own words" });
    expect((await viewer.event("thought:added")).sessionId).toBe(own.sessionId);
    expect(viewer.texts.join()).not.toContain("oreign words");
  });

  test.each([
    { THOUGHTBOX_WORKSPACE: "mine", THOUGHTBOX_WORKSPACE_LOCK: "true" },
    {
      THOUGHTBOX_PROJECT: "mine",
      THOUGHTBOX_PROJECT_LOCK: "true",
      THOUGHTBOX_WORKSPACE_ALLOW: "mine,yours",
    },
  ])("a lock hides every other workspace: %j", async (env) => {
    const { get, json, call, dataDir } = await openObservatory({ env });
    const elsewhere = openAgent(dataDir);
    await elsewhere.call("notes_commit", { workspace: "yours", content: "not for them" });
    expect(await json("/api/memory/workspaces")).toEqual({
      workspaces: ["mine"],
      inUse: [],
      current: "mine",
    });
    await call("init", {});
    expect(await json("/api/memory/workspaces")).toMatchObject({ workspaces: ["mine"], inUse: ["mine"] });
    for (const name of ["branches", "cards", "graph", "signals", "conflicts"])
      expect((await get(`/api/memory/${name}?workspace=yours`)).status, name).toBe(403);
  });
});
