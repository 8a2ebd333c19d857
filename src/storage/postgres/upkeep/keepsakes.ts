import { randomBytes } from "node:crypto";
import type { ToolChoice, ToolVisibility } from "../../../ports/content.ts";
import { parseColumn } from "../../rows/row.ts";
import type { WithConnection, WithWrite } from "../connection/access.ts";

const noChoice: ToolChoice = { hidden: [], shown: [] };

/**
 * Stores small values that all servers for a tenant share: which tools are shown, the token's digest, and the
 * key that signs the state that clients send back.
 */
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
        // If the database is unreachable, the server starts anyway, with the tools of its toolset.
        return noChoice;
      }
    },
    async saveChoice(choice) {
      await keep("tools", JSON.stringify(choice), "UPDATE SET value = excluded.value");
    },
  };
  /** Returns a stored value, or stores a new one. If two servers start at once, both use the first value. */
  async function findOrKeep(name: string, make: () => string): Promise<string> {
    const known = await find(name);
    if (known !== undefined) return String(known);
    await keep(name, make(), "NOTHING");
    return String(await find(name));
  }
  return {
    toolVisibility,
    loadRequestKey: () => findOrKeep("request-state-key", () => randomBytes(32).toString("base64url")),
    /** Returns the digest of the token that all servers for the tenant accept, which is the first server's token. */
    shareTokenDigest: (own: string): Promise<string> => findOrKeep("token-digest", () => own),
  };
}
