import type { IncomingMessage } from "node:http";
import { sendRefusal } from "../../http/body/json-answer.ts";
import { readBody } from "../../http/body/read-body.ts";
import { refuse } from "../../http/body/refusal.ts";
import type { Route } from "../../http/routes.ts";
import { ThoughtboxError, toThoughtboxError } from "../../kernel/errors.ts";
import type { RemarkRequest, RemarksAnswer } from "../wire.ts";
import type { ActionsAnswer } from "../wire-home.ts";
import { type Ask, invalid, type Query, sendError, sendJson } from "./answer.ts";
import { findSession, type SessionSource } from "./session-answers.ts";

const stride = 500;
const mostStrides = 4;

/** Returns a page of the actions in a session. */
export async function answerActions(
  source: SessionSource,
  sessionId: string,
  query: Query,
): Promise<ActionsAnswer> {
  await findSession(source, sessionId);
  let after = query.number("after", { min: 0, max: 1_000_000_000_000, standard: 0 });
  const actions: ActionsAnswer["actions"] = [];
  for (let turn = 0; turn < mostStrides; turn += 1) {
    const page = (await source.ask("read_actions", { sessionId, after, limit: stride })) as ActionsAnswer;
    actions.push(...page.actions);
    after = page.last ?? after;
    if (page.nextAfter === undefined) return { actions, last: after };
    after = page.nextAfter;
  }
  return { actions, nextAfter: after, last: after };
}

export type ReadRemarks = (sessionId: string) => Promise<RemarksAnswer["remarks"]>;

/** Returns the remarks that people made about a session's thoughts. */
export async function answerRemarks(
  source: SessionSource & { readRemarks: ReadRemarks },
  sessionId: string,
): Promise<RemarksAnswer> {
  await findSession(source, sessionId);
  return { remarks: await source.readRemarks(sessionId) };
}

type RemarkOptions = {
  ask: Ask;
  /** True if a page from this server sent the request. */
  isOwnPage(req: IncomingMessage): boolean;
  report(thrown: unknown): void;
};

const bodyLimits = { bodyBytes: 64 * 1024, requestMs: 10_000 };
const lingerMs = 1_000;

const notOurPage = refuse(
  "ORIGIN_NOT_ALLOWED",
  "Only this server's own page can write remarks. On the command line, use thoughtbox call remark.",
);
const notTheOwner = refuse(
  "TOKEN_REQUIRED",
  "To comment, open the page with the token. Without the token, you can only read.",
);

/** The only route through which the page can write. It calls only the `remark` operation. */
export function createRemarkRoute({ ask, isOwnPage, report }: RemarkOptions): Route {
  return {
    path: "/api/remarks",
    methods: ["POST"],
    async handle(req, res, { principal }) {
      if (!isOwnPage(req)) return sendRefusal(req, res, notOurPage, lingerMs);
      if (principal !== "owner") return sendRefusal(req, res, notTheOwner, lingerMs);
      const body = await readBody(req, bodyLimits);
      if (body.outcome === "aborted") return;
      if (body.outcome === "refused") return sendRefusal(req, res, body, lingerMs);
      try {
        sendJson(res, await ask("remark", parseRequest(body.text)));
      } catch (thrown) {
        if (!(thrown instanceof ThoughtboxError)) report(thrown);
        sendError(res, toThoughtboxError(thrown));
      }
    },
  };
}

/** Parses a request's body. The operation checks the fields. */
function parseRequest(text: string): RemarkRequest {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return parsed as RemarkRequest;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw invalid("Send a JSON object.");
}
