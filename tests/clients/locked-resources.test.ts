import { join } from "node:path";
import { expect, test } from "vitest";
import { templates } from "../../src/mcp/resource-templates.ts";
import { connectRaw, eras, type RawClient, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const marker = "zebra-in-the-cellar";

/** Something of a project under each name that a template asks for. */
async function furnish(client: RawClient): Promise<Record<string, string>> {
  const sessionId = await startThinking(client, marker);
  for (const place of [{}, {}, { branchFromThought: 1, branchId: "alt" }])
    await client.call("thought", { sessionId, thought: marker, ...place });
  const note = { sessionId, title: marker, content: marker };
  const { pattern } = await client.call("knowledge.create_pattern", { ...note, description: marker });
  const written = { sessionId, topic: "Handover", content: marker };
  const { note: scratch } = await client.call("knowledge.write_scratchpad", written);
  const { notebookId } = await client.call("notebook.create", { sessionId, name: marker });
  const cell = { type: "markdown", content: marker };
  const { cell: added } = await client.call("notebook.add_cell", { sessionId, notebookId, ...cell });
  return {
    ...{ sessionId, notebookId, thoughtNumber: "2", branchId: "alt", cellId: added.id },
    ...{ id: pattern.id, topic: scratch.id, tag: "debugging", model: "five-whys" },
  };
}

/** The address of each template with these names in it; what belongs to a project also by a session of that project. */
const addresses = (names: Record<string, string>) =>
  templates
    .filter(({ name }) => name !== "mental-model")
    .flatMap(({ name, uriTemplate }) => {
      const uri = uriTemplate
        .replace(/\{\?[^}]*\}/, "")
        .replace(/\{(\w+)\}/g, (_, variable) => names[variable] ?? "");
      const ways = uri.includes("/sessions/") ? [uri] : [uri, `${uri}?sessionId=${names["sessionId"]}`];
      return ways.map((address) => [name, address] as const);
    });

const follow = ({ era, request }: RawClient, uri: string) =>
  era === "legacy"
    ? request("resources/subscribe", { uri })
    : request("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });

test.each(eras)(
  "under a project lock, no resource of another project reaches a %s client",
  async (era) => {
    const dataDir = join(tempDir(), "data");
    const others = await connectRaw(spawnServer(dataDir, { THOUGHTBOX_PROJECT: "theirs" }), era);
    const theirs = await furnish(others);
    for (const [name, uri] of addresses(theirs))
      expect(JSON.stringify(await others.request("resources/read", { uri })), `${name} ${uri}`).toContain(
        "result",
      );

    const env = { THOUGHTBOX_PROJECT: "ours", THOUGHTBOX_PROJECT_LOCK: "true" };
    const locked = await connectRaw(spawnServer(dataDir, env), era);
    const ours = await startThinking(locked);
    for (const [name, uri] of addresses(theirs)) {
      expect(await locked.request("resources/read", { uri }), `${name} ${uri}`).toHaveProperty("error");
      expect((await follow(locked, uri)).error?.message, `${name} ${uri}`).toContain(uri);
    }
    const own = await locked.request("resources/read", { uri: `thoughtbox://sessions/${ours}` });
    expect(own).toHaveProperty("result");

    const offered: unknown[] = [];
    for (const { uriTemplate: uri, complete } of templates)
      for (const name of Object.keys(complete)) {
        const { [name]: _asked, ...filled } = theirs;
        const asked = { ref: { type: "ref/resource", uri }, argument: { name, value: "" } };
        const { result } = await locked.request("completion/complete", {
          ...asked,
          context: { arguments: filled },
        });
        offered.push(...result.completion.values);
      }
    expect(offered).toContain(ours);
    for (const name of ["sessionId", "notebookId", "thoughtNumber", "branchId", "id", "topic"])
      expect(offered, name).not.toContain(theirs[name]);

    const prompt = {
      name: "evolution-check",
      arguments: { newThought: "x", sessionId: theirs["sessionId"] },
    };
    expect(JSON.stringify(await locked.request("prompts/get", prompt))).not.toContain(marker);
    const lists = await Promise.all(
      ["resources/list", "prompts/list"].map((method) => locked.request(method, {})),
    );
    expect(JSON.stringify(lists)).not.toContain(marker);
  },
  60_000,
);
