import { join } from "node:path";
import { expect, test } from "vitest";
import { templates } from "../../src/mcp/resource-templates.ts";
import { connectRaw, eras, type RawClient, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { addresses, furnish } from "../support/stored-text/furnished-resources.ts";
import { tempDir } from "../support/temp-dir.ts";

const marker = "zebra-in-the-cellar";

const follow = ({ era, request }: RawClient, uri: string) =>
  era === "legacy"
    ? request("resources/subscribe", { uri })
    : request("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });

test.each(eras)(
  "a project lock hides every resource of other projects from a %s client",
  async (era) => {
    const dataDir = join(tempDir(), "data");
    const others = await connectRaw(spawnServer(dataDir, { THOUGHTBOX_PROJECT: "theirs" }), era);
    const theirs = await furnish(others, marker);
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
