import { randomBytes } from "node:crypto";
import type { ToolChoice, ToolVisibility } from "../../../ports/content.ts";
import { parseColumn } from "../../rows/row.ts";
import type { WithConnection, WithWrite } from "../connection/access.ts";

const noChoice: ToolChoice = { hidden: [], shown: [] };

/** Small things that all servers of a tenant share: which tools are shown, the key that signs what clients carry, the token. */
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
  /** Of two servers that start together the first one's value counts. */
  async function findOrKeep(name: string, make: () => string): Promise<string> {
    const known = await find(name);
    if (known !== undefined) return String(known);
    await keep(name, make(), "NOTHING");
    return String(await find(name));
  }
  return {
    toolVisibility,
    loadRequestKey: () => findOrKeep("request-state-key", () => randomBytes(32).toString("base64url")),
    /** The digest of the token that all servers of the tenant accept: the one that the first of them brought. */
    shareTokenDigest: (own: string): Promise<string> => findOrKeep("token-digest", () => own),
  };
}
