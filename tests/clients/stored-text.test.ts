import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw, eras, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { addresses, furnish } from "../support/stored-text/furnished-resources.ts";
import { plantedInstructions } from "../support/stored-text/planted-instructions.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Assembled here so that secret scanners do not flag this file. */
const secret = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");

test.each(eras)("no resource shows a %s client a secret, and each is marked as stored text", async (era) => {
  const client = await connectRaw(spawnServer(join(tempDir(), "data")), era);
  const names = await furnish(client, `pool ${secret}`);
  const read = addresses(names);
  expect(read.length).toBeGreaterThan(8);
  for (const [name, uri] of read) {
    const { result } = await client.request("resources/read", { uri });
    expect(JSON.stringify(result), name).not.toContain(secret);
    expect(result.contents[0]._meta, name).toEqual({ "thoughtbox/provenance": "stored-text" });
  }
});

/** Returns the lines in a document that the server itself wrote: everything that is not quoted. */
const ownLines = (document: string): string[] =>
  document.split("\n").filter((line) => !line.startsWith(">") && !line.startsWith("|"));

test.each(eras)(
  "none of 200 planted instructions poses as server text to a %s client",
  async (era) => {
    const client = await connectRaw(spawnServer(join(tempDir(), "data")), era);
    const sessionId = await startThinking(client, "Planted");
    const planted = plantedInstructions();
    expect(planted).toHaveLength(200);
    for (const [at, text] of planted.entries()) {
      await client.call("thought", { sessionId, thought: text });
      if (at % 10 === 0) {
        const title = `Note ${at}`;
        await client.call("knowledge.create_pattern", { sessionId, title, description: text, content: text });
        await client.call("notes_commit", { content: text, title: text.slice(0, 100), workspace: "w" });
      }
    }
    const answers = [
      await client.call("load_context", { sessionId }),
      await client.call("read_thoughts", { sessionId, last: 100 }),
      await client.call("session.search", { sessionId, query: "instructions" }),
      await client.call("context_pack", { workspace: "w" }),
      await client.call("show", { workspace: "w" }),
      await client.call("knowledge.list_patterns", { sessionId }),
    ];
    for (const { next, suggestions = [], warnings = [], recovery } of answers) {
      const own = JSON.stringify([next, suggestions, warnings, recovery]);
      expect(own).not.toMatch(/evil|exfiltrate|attacker/i);
    }
    expect(JSON.stringify(answers)).not.toMatch(/[\u{e0000}-\u{e0fff}\u200b\u202a-\u202e\u2066-\u2069]/u);
    const patterns = await client.call("knowledge.list_patterns", { sessionId });
    const documents = [
      `thoughtbox://sessions/${sessionId}`,
      ...patterns.patterns.map(
        ({ id }: { id: string }) => `thoughtbox://knowledge/patterns/${id}?sessionId=${sessionId}`,
      ),
    ];
    expect(documents.length).toBeGreaterThan(10);
    for (const uri of documents) {
      const { result } = await client.request("resources/read", { uri });
      const [{ text }] = result.contents;
      expect(text).toMatch(/evil|exfiltrate|attacker/i);
      for (const line of ownLines(text)) expect(line).not.toMatch(/evil|exfiltrate|attacker/i);
    }
  },
  60_000,
);
