import { createRepository, createTranscript, repositoryOf } from "../git/repository.ts";
import type { TestApp, TestClient } from "../test-app.ts";

const invoices = [
  "export async function archiveInvoices(years: number) {",
  "  // The archive job keeps every invoice, it only moves old ones.",
  "  return moveToArchive({ olderThanYears: years });",
  "}",
  "",
];

/**
 * Sets up a shop in five sessions: a reversed decision, two dead ends, a refusal by the user, an abandoned
 * branch, a file that one session wrote, and a decision about a file that has changed since.
 */
export async function openShop(app: TestApp, client: TestClient) {
  const start = async (sessionTitle: string): Promise<string> =>
    (await client.call("start_new", { sessionTitle })).sessionId;
  const think = (sessionId: string, thought: string, more: object = {}) =>
    client.call("thought", { sessionId, thought, ...more });

  const repository = createRepository(repositoryOf(app));
  repository.write("README.md", "# Shop\n");
  repository.write("src/pool.ts", "export const poolSize = 40;\n");
  repository.write("src/catalogue.ts", "export const cacheSeconds = 60;\n");
  repository.commit("docs: start", 0);

  const pool = await start("Size the connection pool");
  await think(pool, "S1|Q|why does checkout time out under load?");
  await think(pool, "S2|H|the pool is too small for 40 workers");
  await think(pool, "S3|E|S2|the pool has 10 connections and requests wait 9 seconds for one");
  await think(pool, "S4|C|S2|the pool gets 40 connections because each worker needs one");
  await think(pool, "S5|R|^S4|the pool gets 20 connections because the database allows only 25", {
    revisesThought: 4,
  });

  const cache = await start("Cache the catalogue");
  await think(cache, "Now let me look at the catalogue.");
  await think(cache, "S1|H|cache the catalogue in redis");
  await think(cache, "S2|X|S1|redis is ruled out because operations cannot run another service");
  await think(cache, "S3|C|S2|the catalogue is cached in process for 60 seconds");

  const { id: minute } = await client.call("decide", {
    sessionId: cache,
    title: "Catalogue entries live for one minute",
    chosen: "cacheSeconds = 60",
    because: "Prices may be a minute old, and the catalogue changes rarely.",
    rejected: [{ option: "no expiry", why: "the shop would show old prices" }],
    files: ["src/catalogue.ts:1"],
  });

  const retry = await start("Retry failed payments");
  await think(
    retry,
    "We tried exponential backoff for payments. It did not help, because the provider blocks us.",
  );
  await think(retry, "We decided to retry payments once and then ask the customer.");

  const search = await start("Search products");
  await think(search, "Compare a trigram index with full text for product search.");
  await think(search, "Build product search on trigrams.", { branchFromThought: 1, branchId: "trigrams" });
  await think(search, "S2|X|S1|trigrams gave up on short product names, so this branch is abandoned", {
    branchId: "trigrams",
  });
  await think(search, "We will use full text for product search, because it stems words.");
  await think(search, "Open question: which language does product search stem in? Still unclear.");

  repository.write("src/catalogue.ts", "export const cacheSeconds = 300;\n");
  repository.write("src/invoices.ts", invoices.join("\n"));
  repository.commit("feat: archive old invoices", 12);
  const transcript = createTranscript(app, "22222222-2222-4333-8444-555555555555");
  transcript.ask("Delete old invoices after ten years.", 1);
  transcript.think("Invoices are kept in one table, so one statement removes the old ones.", 2);
  transcript.use(
    "Bash",
    { command: "psql -c 'DELETE FROM invoices'" },
    { minute: 3, call: "refused" },
    {
      is_error: true,
      content:
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nNever delete invoices by hand. Use the archive job.",
    },
  );
  transcript.think("The archive job moves invoices instead, because the law wants them for ten years.", 5);
  transcript.use(
    "Write",
    { file_path: "/home/ada/shop/src/invoices.ts", content: invoices.join("\n") },
    { minute: 7 },
  );
  const archive = await transcript.import(client);
  return { pool, cache, retry, search, archive, minute, repository };
}
