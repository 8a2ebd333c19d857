import { quote } from "../kernel/text.ts";
import { sessionList } from "../operations/ledger/session/list-sessions.ts";
import { ask } from "./ask.ts";
import type { Answer } from "./command.ts";
import type { Host } from "./host.ts";
import { wrap } from "./rendering/width.ts";
import { oneLine } from "./rendering/words.ts";

/** Explains that only other projects have sessions, or returns `undefined` if that is not the case. */
export async function explainEmptyProject(
  host: Host,
  project: string = host.project.name,
): Promise<string | undefined> {
  const { sessions } = await ask(host, sessionList, { project: "*", limit: 100 });
  const projects = [...new Set(sessions.map((session) => session.project))];
  if (projects.length === 0 || projects.includes(project)) return undefined;
  const here = await ask(host, sessionList, { project, limit: 1 });
  if (here.total > 0) return undefined;
  return `There are no sessions in project ${quote(project, 60)}. Projects with sessions: ${oneLine(projects.join(", "))}`;
}

/** If the chosen project has no sessions, adds a hint to the answer: the projects that have some. */
export async function addProjectHint(
  host: Host,
  answer: Answer,
  chosen: string | undefined = host.project.isChosen ? host.project.name : undefined,
): Promise<Answer> {
  const hint = chosen === undefined ? undefined : await explainEmptyProject(host, chosen);
  if (hint === undefined) return answer;
  return {
    ...answer,
    data: { ...(answer.data as object), hint },
    lines: (context) => [...(answer.lines(context) as readonly string[]), ...wrap(hint, context.width)],
  };
}
