import { expect, test } from "vitest";
import { countReceived } from "../../bench/agents/agent.ts";
import { agentTasks } from "../../bench/agents/agent-tasks.ts";
import { openHttpDoor, openStdioDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";
import { eras } from "../support/test-app.ts";

const transports = { stdio: openStdioDoor, http: openHttpDoor };

const ways = eras.flatMap((era) =>
  (["stdio", "http"] as const).flatMap((transport) =>
    agentTasks.map((task) => ({ name: `${task.about}, ${era} over ${transport}`, era, transport, task })),
  ),
);

test.each(ways)(
  "no call fails and the answers stay within the byte limit: $name",
  async ({ era, transport, task }) => {
    const door = await transports[transport](tempDir(), {});
    const { received, take } = countReceived();
    try {
      await task.run(async () => {
        const { client } = await door.connect(era);
        return {
          call: async (name, args) => take(name, (await client.callTool({ name, arguments: args })) as never),
        };
      });
    } finally {
      await door.close();
    }
    expect(received.failed).toEqual([]);
    expect(received.bytes).toBeLessThanOrEqual(task.maxBytes);
  },
);
