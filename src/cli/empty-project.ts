import { quote } from "../kernel/text.ts";
import { sessionList } from "../operations/ledger/session/list-sessions.ts";
import { ask } from "./ask.ts";
import type { Answer } from "./command.ts";
import type { Host } from "./host.ts";
import { wrap } from "./rendering/width.ts";
import { oneLine } from "./rendering/words.ts";

/** Returns `undefined` if the project has sessions, or if no project has any. */
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

/** If the answer is empty because the chosen project has no sessions, adds which projects have sessions. */
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
