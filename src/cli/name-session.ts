import { quote } from "../kernel/text.ts";
import { sessionList } from "../operations/ledger/session/list-sessions.ts";
import { ask } from "./ask.ts";
import { explainEmptyProject } from "./empty-project.ts";
import { CommandFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import { shortId } from "./rendering/words.ts";

const shortestPrefix = 4;
const wholeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const next = "thoughtbox ls lists the sessions. `latest` is the newest in the project.";

/**
 * Finds a session by its ID, the beginning of its ID, or `latest`. If the command changes the session, `latest`
 * considers only the current project.
 */
export async function nameSession(
  host: Host,
  word: string,
  purpose: "read" | "change" = "read",
): Promise<string> {
  if (word === "latest") return newest(host, purpose);
  const prefix = word.toLowerCase();
  if (wholeId.test(prefix)) return prefix;
  if (!/^[0-9a-f-]+$/.test(prefix))
    throw new CommandFailure(`${quote(word, 60)} is not a session ID.`, { next, exitCode: 2 });
  if (prefix.length < shortestPrefix)
    throw new CommandFailure(
      `${quote(word)} is too short: type at least ${shortestPrefix} characters of the ID.`,
      {
        next,
        exitCode: 2,
      },
    );
  const [only, ...others] = await host.upkeep.findSessionIds(prefix, 6);
  if (only === undefined)
    throw new CommandFailure(`No session has an ID that begins with ${quote(word, 60)}.`, { next });
  if (others.length === 0) return only;
  const ids = [only, ...others].map((id) => distinct(id, [only, ...others]));
  throw new CommandFailure(`Several session IDs begin with ${quote(word, 60)}: ${ids.join(", ")}.`, {
    next: "Type more characters of the ID.",
  });
}

/** The command to paste if there is no session yet. */
export const firstThought = "thoughtbox call thought sessionTitle='My first' thought='Something to remember'";

/** Finds the newest session. If no project was chosen explicitly, reading commands also search the others. */
async function newest(host: Host, purpose: "read" | "change"): Promise<string> {
  const staysHere = purpose === "change" || host.project.isChosen;
  for (const where of staysHere ? [{}] : [{}, { project: "*" }]) {
    const { sessions } = await ask(host, sessionList, { ...where, limit: 1 });
    const [first] = sessions;
    if (first) return first.id;
  }
  const elsewhere = await explainEmptyProject(host);
  if (elsewhere !== undefined)
    throw new CommandFailure(elsewhere, {
      next: "Pass one of these projects as --project, or the ID of a session: thoughtbox ls",
    });
  throw new CommandFailure("There are no sessions yet.", {
    next: firstThought,
  });
}

/** Returns the shortest unique prefix of an ID, but at least the short ID. */
function distinct(id: string, all: readonly string[]): string {
  for (let length = shortId(id).length; length < id.length; length += 1) {
    const beginning = id.slice(0, length);
    if (all.every((other) => other === id || !other.startsWith(beginning))) return beginning;
  }
  return id;
}
