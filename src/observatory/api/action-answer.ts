import type { ActionsAnswer } from "../wire-home.ts";
import type { Query } from "./answer.ts";
import { findSession, type SessionSource } from "./session-answers.ts";

const stride = 500;
const mostStrides = 4;

/** What the agent of a session did, a page of it. */
export async function answerActions(
  source: SessionSource,
  sessionId: string,
  query: Query,
): Promise<ActionsAnswer> {
  await findSession(source, sessionId);
  let after = query.number("after", { min: 0, max: 1_000_000_000_000, standard: 0 });
  const actions: ActionsAnswer["actions"] = [];
  for (let turn = 0; turn < mostStrides; turn += 1) {
    const page = (await source.ask("read_actions", { sessionId, after, limit: stride })) as {
      actions: ActionsAnswer["actions"];
      nextAfter?: number;
    };
    actions.push(...page.actions);
    if (page.nextAfter === undefined) return { actions };
    after = page.nextAfter;
  }
  return { actions, nextAfter: after };
}
