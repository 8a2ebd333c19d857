import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Era, openHttpDoor, openRemoteDoor, type RealConnection } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Starts a server for the `office` project, and a client whose URL names the `shop` project. */
async function openProjects(era: Era) {
  const door = await openHttpDoor(join(tempDir(), "data"), { THOUGHTBOX_PROJECT: "office" });
  const shopDoor = openRemoteDoor(new URL("?project=shop", door.url));
  onTestFinished(async () => {
    await shopDoor.close();
    await door.close();
  });
  const office = toReader(await door.connect(era));
  const shop = toReader(await shopDoor.connect(era));
  return { office, shop };
}

/** If `thread` is given, every request names that conversation, as Codex does. */
function toReader({ client, call }: RealConnection, thread?: string) {
  const meta = thread === undefined ? {} : { _meta: { threadId: thread } };
  return {
    client,
    thread: (name: string) => toReader({ client, call }, name),
    async call(name: string, args: Record<string, unknown>): Promise<any> {
      const reply = await call(name, args, meta._meta);
      if (reply.kind !== "result") throw new Error(JSON.stringify(reply));
      return reply.result;
    },
    /** Returns the text of a resource, or `undefined` if it does not exist. */
    async read(uri: string): Promise<string | undefined> {
      const read = client.readResource({ uri, ...meta }).catch((thrown: Error) => {
        if (!/not found/i.test(thrown.message)) throw thrown;
        return { contents: [] };
      });
      return ((await read).contents[0] as { text: string } | undefined)?.text;
    },
    async complete(uri: string, name: string): Promise<readonly string[]> {
      const ref = { type: "ref/resource" as const, uri };
      const { completion } = await client.complete({ ref, argument: { name, value: "" }, ...meta });
      return completion.values;
    },
  };
}

type Reader = ReturnType<typeof toReader>;

const sessions = "thoughtbox://sessions/{sessionId}";
const topics = "thoughtbox://knowledge/scratchpad/{topic}";

async function furnish(reader: Reader, content: string) {
  const { sessionId } = await reader.call("thought", { thought: content });
  await reader.call("knowledge.write_scratchpad", { topic: "plan", content });
  await reader.call("knowledge.write_scratchpad", { topic: `only ${content}`, content });
  const { notebookId } = await reader.call("notebook.create", { name: content });
  return { sessionId: sessionId as string, notebookId: notebookId as string };
}

const readNote = (reader: Reader, args: object = {}) =>
  reader.call("knowledge.read_scratchpad", { topic: "plan", ...args });

describe.each(["legacy", "modern"] as const)("a %s client with a project in its URL", (era) => {
  test("reads the resources of that project at the addresses that its tools return", async () => {
    const { office, shop } = await openProjects(era);
    await furnish(office, "lamps");
    await shop.call("knowledge.write_scratchpad", { topic: "plan", content: "bread" });
    const withoutSession = await readNote(shop);
    expect(withoutSession.note.content).toBe("bread");
    expect(await shop.read(withoutSession.uri)).toContain("bread");
    const { notebookId } = await furnish(shop, "bread");
    expect(await shop.read((await readNote(shop)).uri)).toContain("bread");
    expect(await shop.read("thoughtbox://knowledge/scratchpad/plan")).toContain("bread");
    expect(await office.read("thoughtbox://knowledge/scratchpad/plan")).toContain("lamps");
    expect(await shop.read(`thoughtbox://notebooks/${notebookId}`)).toContain(notebookId);
  });

  test("never reads or completes a resource of the server's own project", async () => {
    const { office, shop } = await openProjects(era);
    const theirs = await furnish(office, "lamps");
    const ours = await furnish(shop, "bread");
    expect(await shop.read("thoughtbox://knowledge/scratchpad/only-lamps")).toBeUndefined();
    expect(await shop.read(`thoughtbox://notebooks/${theirs.notebookId}`)).toBeUndefined();
    expect(await shop.complete(sessions, "sessionId")).toEqual([ours.sessionId]);
    expect(await office.complete(sessions, "sessionId")).toEqual([theirs.sessionId]);
    expect((await shop.complete(topics, "topic")).toSorted()).toEqual(["only-bread", "plan"]);
  });

  test("reads resources of another project if its call named a session of that project", async () => {
    const { office, shop } = await openProjects(era);
    const { sessionId } = await furnish(office, "lamps");
    await furnish(shop, "bread");
    const { note, uri } = await readNote(shop, { sessionId });
    expect(note.content).toBe("lamps");
    expect(await shop.read(uri)).toContain("lamps");
  });

  test("reads resources in the project of the conversation that it names", async () => {
    const { shop } = await openProjects(era);
    await furnish(shop, "bread");
    const [garden, kitchen] = [shop.thread("in-the-garden"), shop.thread("in-the-kitchen")];
    const { sessionId } = await garden.call("start_new", { sessionTitle: "Beds", project: "garden" });
    await garden.call("knowledge.write_scratchpad", { topic: "plan", content: "roses" });
    expect(await garden.read("thoughtbox://knowledge/scratchpad/plan")).toContain("roses");
    expect(await garden.complete(sessions, "sessionId")).toEqual([sessionId]);
    expect(await kitchen.read("thoughtbox://knowledge/scratchpad/plan")).toContain("bread");
  });
});
