import type { IncomingMessage, ServerResponse } from "node:http";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { pathOf } from "../../http/admission/raw-headers.ts";
import type { Route } from "../../http/routes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThoughtboxError, toThoughtboxError } from "../../kernel/errors.ts";
import type { HealthAnswer } from "../wire.ts";
import { invalid, notFound, type Query, readQuery, sendError, sendJson } from "./answer.ts";
import { answerActions, answerRemarks, type ReadRemarks } from "./beside-thoughts.ts";
import type { WhySource } from "./files/explain.ts";
import { answerRepository, type RepositorySource } from "./files/repository-answer.ts";
import { answerWhy } from "./files/why-answers.ts";
import { answerHome, type HomeSource } from "./home/home-answer.ts";
import { answerCell } from "./notebooks/cell-answer.ts";
import {
  answerCellHistory,
  answerNotebook,
  answerNotebookSource,
  answerNotebooks,
} from "./notebooks/notebook-answers.ts";
import { answerMatches, answerPositions, answerSearch } from "./search-answers.ts";
import {
  answerSession,
  answerSessions,
  answerThought,
  answerThoughts,
  answerVerify,
} from "./session-answers.ts";
import { sendShare } from "./share-answer.ts";

export type ApiOptions = Omit<HomeSource, "now"> &
  RepositorySource &
  WhySource & {
    health(): Promise<HealthAnswer>;
    readRemarks: ReadRemarks;
    memory(name: string, query: Query): Promise<unknown>;
    /** True if this request comes from our own page, from no page, or from a page that may use the API. */
    isWelcome(req: IncomingMessage): boolean;
    clock: Clock;
    report(thrown: unknown): void;
  };

/** Serves `/api/…`. Read-only. */
export function createApiRoute(options: ApiOptions): Route {
  async function answer(path: readonly string[], query: Query): Promise<unknown> {
    const [subject, id = "", part, detail] = path;
    if (subject === "health" && path.length === 1) return options.health();
    if (subject === "home" && path.length === 1) return answerHome({ ...options, now: options.clock }, query);
    if (subject === "notebooks") return answerNotebookPath(path, query);
    if (subject === "search" && path.length === 1) return answerSearch(options, query);
    if (subject === "search" && id === "sessions" && path.length === 2) return answerMatches(options, query);
    if (subject === "why" && path.length === 1) return answerWhy(options, query);
    if (subject === "repository" && path.length === 1) return answerRepository(options, query);
    if (subject === "memory" && path.length === 2) return options.memory(id, query);
    if (subject !== "sessions" || path.length > 4) return undefined;
    if (path.length === 1) return answerSessions(options, query);
    if (!sessionIdPattern.test(id)) throw notFound("This is not a session ID.");
    if (path.length === 2) return answerSession(options, id, query);
    if (part === "verify" && path.length === 3) return answerVerify(options, id);
    if (part === "actions" && path.length === 3) return answerActions(options, id, query);
    if (part === "matches" && path.length === 3) return answerPositions(options, id, query);
    if (part === "remarks" && path.length === 3) return answerRemarks(options, id);
    if (part === "cells") return answerCell(options, id, detail ?? "", query);
    if (part !== "thoughts") return undefined;
    if (detail === undefined) return answerThoughts(options, id, query);
    if (!/^[1-9]\d{0,6}$/.test(detail)) throw invalid("A thought number must be a positive whole number.");
    return answerThought(options, id, Number(detail), query.text("branch"));
  }

  function answerNotebookPath(path: readonly string[], query: Query): Promise<unknown> | undefined {
    const [, id, part, cell, ...rest] = path;
    if (id === undefined) return answerNotebooks(options);
    if (rest.length > 0 || !notebookIdPattern.test(id)) return undefined;
    if (part === undefined) return answerNotebook(options, id);
    if (part === "source" && cell === undefined) return answerNotebookSource(options, id);
    return part === "cells" && cell !== undefined ? answerCellHistory(options, id, cell, query) : undefined;
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!options.isWelcome(req)) return sendJson(res, foreign, 403);
    const target = req.url ?? "";
    const path = pathOf(target).slice("/api/".length).split("/");
    const query = readQuery(new URLSearchParams(target.slice(pathOf(target).length)));
    try {
      const [subject, id = "", part] = path;
      if (subject === "sessions" && part === "share" && path.length === 3 && sessionIdPattern.test(id))
        return await sendShare(options, id, res, options.clock());
      const value = await answer(path, query);
      if (value === undefined) return sendJson(res, unknownPath, 404);
      sendJson(res, value);
    } catch (thrown) {
      if (res.headersSent) throw thrown;
      if (!(thrown instanceof ThoughtboxError)) options.report(thrown);
      sendError(res, toThoughtboxError(thrown));
    }
  }

  return { path: "/api/*", methods: ["GET", "HEAD"], handle };
}

const notebookIdPattern = /^[\w-]{1,64}$/;

const unknownPath = { error: { code: "PATH_NOT_FOUND", message: "Nothing is served at this path." } };
const foreign = {
  error: {
    code: "ORIGIN_NOT_ALLOWED",
    message: "Pages from other origins have read access only if THOUGHTBOX_OBSERVATORY_HTTP_API is true.",
  },
};
