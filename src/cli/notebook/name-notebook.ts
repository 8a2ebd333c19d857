import { quote } from "../../kernel/text.ts";
import { notebookList } from "../../operations/ledger/notebook/notebook-list.ts";
import { ask } from "../ask.ts";
import { CommandFailure } from "../failure.ts";
import type { Host } from "../host.ts";
import { shortId } from "../rendering/words.ts";

const pageSize = 100;
const shortestPrefix = 4;
const next = "thoughtbox notebook ls lists them; `latest` is the latest changed.";

/** A notebook of the project as people name one: its id, the beginning of it, or `latest`. */
export async function nameNotebook(host: Host, word: string): Promise<string> {
  if (word === "latest") {
    const { notebooks } = await ask(host, notebookList, { limit: 1 });
    if (notebooks[0]) return notebooks[0].id;
    throw new CommandFailure("There are no notebooks in this project yet.", {
      next: "thoughtbox notebook new 'My first'",
    });
  }
  const prefix = word.toLowerCase();
  if (!/^[0-9a-f-]+$/.test(prefix) || prefix.length < shortestPrefix)
    throw new CommandFailure(`${quote(word, 60)} is not a notebook id.`, { next, exitCode: 2 });
  const found: string[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { notebooks, hasMore } = await ask(host, notebookList, { limit: pageSize, offset });
    found.push(...notebooks.flatMap(({ id }) => (id.startsWith(prefix) ? [id] : [])));
    if (!hasMore) break;
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw new CommandFailure(`No notebook of this project has an id that begins with ${quote(word, 60)}.`, {
      next,
    });
  if (others.length === 0) return only;
  throw new CommandFailure(
    `Several notebooks begin with ${quote(word, 60)}: ${found.slice(0, 6).map(shortId).join(", ")}.`,
    { next: "Give more characters of the id." },
  );
}
