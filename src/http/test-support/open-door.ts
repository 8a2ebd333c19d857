import { onTestFinished } from "vitest";
import { type AdmissionSettings, createAdmissionPolicy } from "../admission/admission-policy.ts";
import { sendRefusal } from "../body/json-answer.ts";
import { readBody } from "../body/read-body.ts";
import { createHttpDoor, type HttpDoor, type HttpDoorOptions } from "../http-door.ts";
import { defaultHttpLimits, type HttpLimits } from "../limits.ts";
import type { Route } from "../routes.ts";
import { token } from "./verdict.ts";

export type OpenDoor = { readonly door: HttpDoor; readonly port: number; readonly errors: unknown[] };

type Overrides = Partial<Omit<HttpDoorOptions, "policy" | "limits">> & {
  readonly settings?: Partial<AdmissionSettings>;
  readonly limits?: Partial<HttpLimits>;
  readonly port?: number;
  readonly host?: string;
};

/** Opens a server on a free port and closes it at the end of the test. */
export async function openDoor({
  settings,
  limits,
  port: wanted = 0,
  host = "127.0.0.1",
  ...options
}: Overrides = {}): Promise<OpenDoor> {
  const errors: unknown[] = [];
  const allLimits = { ...defaultHttpLimits, ...limits };
  const door = createHttpDoor({
    policy: createAdmissionPolicy({ auth: "auto", token, ...settings }),
    limits: allLimits,
    routes: [echoRoute(allLimits)],
    clock: () => new Date(),
    onError: (thrown) => errors.push(thrown),
    ...options,
  });
  const { port } = await door.listen({ port: wanted, host });
  onTestFinished(() => door.close(0));
  return { door, port, errors };
}

/** Answers with how the caller was admitted and what it sent. */
export function echoRoute(limits: HttpLimits = defaultHttpLimits): Route {
  return {
    path: "/echo",
    methods: ["GET", "POST"],
    async handle(req, res, { how, mayRunCells }) {
      const body = await readBody(req, limits);
      if (body.outcome === "refused") return sendRefusal(req, res, body, limits.lingerMs);
      if (body.outcome === "aborted") return;
      res.end(JSON.stringify({ how, mayRunCells, text: body.text }));
    },
  };
}
