import { templates } from "../../../src/mcp/resource-templates.ts";
import { type RawClient, startThinking } from "../raw-client.ts";

/** Creates something in a project for each name that a template needs. */
export async function furnish(client: RawClient, marker: string): Promise<Record<string, string>> {
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

/**
 * Returns the address of each template with these names. Project resources also get an address with a session
 * in the project.
 */
export const addresses = (names: Record<string, string>) =>
  templates
    .filter(({ name }) => name !== "mental-model")
    .flatMap(({ name, uriTemplate }) => {
      const uri = uriTemplate
        .replace(/\{\?[^}]*\}/, "")
        .replace(/\{(\w+)\}/g, (_, variable) => names[variable] ?? "");
      const ways = uri.includes("/sessions/") ? [uri] : [uri, `${uri}?sessionId=${names["sessionId"]}`];
      return ways.map((address) => [name, address] as const);
    });
