import { randomBytes } from "node:crypto";
import type { ToolChoice, ToolVisibility } from "../../../ports/content.ts";
import { parseColumn } from "../../rows/row.ts";
import type { WithConnection, WithWrite } from "../connection/access.ts";

const noChoice: ToolChoice = { hidden: [], shown: [] };

/** Small things that all servers of a tenant share: which tools are shown, and the key that signs what clients carry. */
export function createKeepsakes(readAtOnce: WithConnection, write: WithWrite) {
  const find = (name: string) =>
    readAtOnce(
      async ({ sql }) => (await sql("SELECT value FROM {keepsakes} k WHERE name = ?").get(name))?.["value"],
    );
  const keep = (name: string, value: string, onConflict: string) =>
    write(({ sql }) =>
      sql(`INSERT INTO keepsakes (tenant, name, value) VALUES (@tenant, ?, ?)
        ON CONFLICT (tenant, name) DO ${onConflict}`).run(name, value),
    );
  const toolVisibility: ToolVisibility = {
    async readChoice() {
      try {
        return parseColumn<ToolChoice>((await find("tools")) ?? JSON.stringify(noChoice));
      } catch {
        // A server starts without its database too, and then the toolset alone decides.
        return noChoice;
      }
    },
    async saveChoice(choice) {
      await keep("tools", JSON.stringify(choice), "UPDATE SET value = excluded.value");
    },
  };
  return {
    toolVisibility,
    async loadRequestKey(): Promise<string> {
      const name = "request-state-key";
      const known = await find(name);
      if (known !== undefined) return String(known);
      // Of two servers that start together the first one's key counts.
      await keep(name, randomBytes(32).toString("base64url"), "NOTHING");
      return String(await find(name));
    },
  };
}
