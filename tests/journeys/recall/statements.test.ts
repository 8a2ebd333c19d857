import { expect, test } from "vitest";
import { createRepository, createTranscript, repositoryOf } from "../../support/git/repository.ts";
import { openShop } from "../../support/recall/shop.ts";
import { createTestApp } from "../../support/test-app.ts";

test("narration is never a reason, and text that a user pasted is never a decision", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const transcript = createTranscript(app, "44444444-2222-4333-8444-555555555555");
  transcript.ask("The importer skips rows with quotes. Find out why.", 1);
  transcript.think(
    "Now let me look at the importer. The importer splits rows at commas, so quotes break it. Let me fix the importer.",
    2,
  );
  transcript.ask("❯ importer run\nError: the importer rows were refused, we will use the other importer", 3);
  transcript.think("Good. If the importer is not an option, we use another.", 4);
  await transcript.import(client);
  const answer = await client.call("recall", { question: "why does the importer skip rows" });
  expect(answer.sessions).toMatchObject([
    {
      asked: { text: "The importer skips rows with quotes. Find out why." },
      because: { text: "The importer splits rows at commas, so quotes break it." },
    },
  ]);
  expect(answer).not.toHaveProperty("decisions");
  expect(answer).not.toHaveProperty("dead_ends");
});

test("refusals without a statement are not decisions, and a long command does not hide the user's words", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const transcript = createTranscript(app, "55555555-2222-4333-8444-555555555555");
  const refuse = (command: string, said: string, minute: number) =>
    transcript.use(
      "Bash",
      { command },
      { minute, call: `refused-${minute}` },
      {
        is_error: true,
        content: `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n${said}`,
      },
    );
  const body = "The importer of invoices reads rows. ".repeat(20);
  transcript.ask("Report the importer bug.", 1);
  refuse(`gh issue create --body '${body}'`, "Never report importer bugs in public, mail them.", 2);
  refuse("git commit -m importer", "are there importer problems?", 3);
  refuse("ls importer", "The user wants to clarify these questions. Take their response into account.", 4);
  for (const [minute, said] of [
    [5, "The importer cache doesn't help, because both rows are in one file."],
    [6, "Both rows are in one file, so the importer cache doesn't help."],
  ] as const)
    transcript.think(said, minute);
  await transcript.import(client);
  const answer = await client.call("recall", { question: "importer" });
  expect(answer.decisions).toHaveLength(1);
  expect(answer.decisions[0].text).toMatch(
    /^refused gh issue create .{10,80}…: Never report .* mail them\.$/,
  );
  expect(answer.dead_ends).toHaveLength(1);
});

test("an edit that was reverted and called a failure is a dead end, but removed debug output is not", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  repository.write("README.md", "# Shop\n");
  repository.commit("docs: start", 0);
  const transcript = createTranscript(app, "33333333-2222-4333-8444-555555555555");
  const change = (before: string, after: string, minute: number) =>
    transcript.use(
      "Edit",
      { file_path: "/home/ada/shop/src/rates.ts", old_string: before, new_string: after },
      { minute },
    );
  const [batched, traced] = ["await loadRatesInOneBatch(currencies);", "console.log('rates', currencies);"];
  transcript.ask("Load the exchange rates faster.", 1);
  transcript.think("One batch request should be faster for exchange rates.", 2);
  change("await loadRates();", batched, 3);
  change("start();", traced, 4);
  transcript.think(
    "I looked at the limits. The batch endpoint of the exchange rates is limited. I revert it, this does not work. Next are the tests.",
    5,
  );
  change(batched, "await loadRates();", 6);
  transcript.think("Now I undo the debug output of the exchange rates.", 7);
  change(traced, "start();", 8);
  await transcript.import(client);
  const { dead_ends } = await client.call("recall", { question: "did we try to load exchange rates faster" });
  const undone = dead_ends.filter(({ text }: { text: string }) => text.startsWith("undone in"));
  const told = { text: expect.stringMatching(/^undone in …\/src\/rates\.ts: The batch endpoint/) };
  expect(undone).toMatchObject([told]);

  repository.write("src/rates.ts", "await loadRates();\n");
  repository.commit("feat: rates", 9);
  const here = await client.call("recall", { question: "did we try to load exchange rates faster" });
  expect(here.dead_ends[0].text).toMatch(/^undone in src\/rates\.ts: The batch endpoint/);

  transcript.think("The batch endpoint of the exchange rates has a higher limit now.", 10);
  change("await loadRates();", batched, 11);
  await transcript.import(client);
  const again = await client.call("recall", { question: "did we try to load exchange rates faster" });
  expect(JSON.stringify(again.dead_ends ?? [])).not.toContain("undone in");
});

test("a question stays open until its session decides it, and a short answer keeps its first part", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const { sessionId } = await client.call("start_new", { sessionTitle: "Choose a cache" });
  const think = (thought: string) => client.call("thought", { sessionId, thought });
  const asked = { question: "what is still open about the cache backend" };
  await think("Open question: which cache backend keeps the carts? Still unclear.");
  expect(await client.call("recall", asked)).toMatchObject({
    open: [{ text: expect.stringContaining("cache backend") }],
  });
  await think("We decided to log in with a link.");
  expect(await client.call("recall", asked)).toHaveProperty("open");
  await think("We decided to use memcached as the cache backend.");
  const later = await client.call("recall", asked);
  expect(later).not.toHaveProperty("open");
  expect(later.decisions[0].text).toContain("memcached");

  const shop = createTestApp({ backend: "memory" });
  await openShop(shop, shop.modern());
  const short = await shop.modern().call("recall", { question: "may I delete invoices", max_chars: 500 });
  expect(Object.keys(short)).not.toContain("why");
  expect(short.decisions[0].text).toContain("Never delete invoices by hand");
});

test("a refused action counts as a decision only if the user stated a rule, and a refused edit names its file", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  repository.write("src/importer.ts", "export {};\n");
  repository.commit("feat: importer", 0);
  const transcript = createTranscript(app, "88888888-2222-4333-8444-555555555555");
  const refuse = (tool: string, input: object, said: string, minute: number) =>
    transcript.use(
      tool,
      input,
      { minute, call: `refused-${minute}` },
      {
        is_error: true,
        content: `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n${said}`,
      },
    );
  const edit = { file_path: "/home/ada/shop/src/importer.ts", old_string: "a", new_string: "b" };
  transcript.ask("Make the importer faster.", 1);
  refuse("Edit", edit, "I would rather have shorter names in there.", 2);
  refuse("Edit", edit, "Never buffer whole rows in memory.", 3);
  refuse("ExitPlanMode", { plan: "Read rows twice" }, "The importer should stream rows instead.", 4);
  await transcript.import(client);
  const { decisions } = await client.call("recall", { question: "importer" });
  expect(decisions.map(({ text }: { text: string }) => text).sort()).toEqual([
    "refused Edit src/importer.ts: Never buffer whole rows in memory.",
    "refused the plan: The importer should stream rows instead.",
  ]);
});

test("a long session shows only what is relevant to the question, or else the match itself", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const transcript = createTranscript(app, "99999999-2222-4333-8444-555555555555");
  transcript.ask("Rename the logo.", 1);
  transcript.think("Run the smoke tests with make smoke.", 2);
  for (let minute = 3; minute < 30; minute += 1)
    transcript.think(`The colours of the logo are unrelated, because shade ${minute} is grey.`, minute);
  transcript.think("The fix is to use a darker grey for the logo.", 30);
  await transcript.import(client);
  const { sessions } = await client.call("recall", { question: "how do I run the smoke tests" });
  expect(sessions).toEqual([
    {
      sessionId: expect.any(String),
      title: "Rename the logo.",
      at: expect.any(String),
      found: { text: "Run the smoke tests with make smoke.", id: expect.stringMatching(/:2$/) },
    },
  ]);
  const logo = await client.call("recall", { question: "which grey has the logo" });
  expect(JSON.stringify(logo)).toContain("a darker grey");
});
