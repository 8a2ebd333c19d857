import { Server } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { createAdmissionPolicy } from "../../src/http/admission/admission-policy.ts";
import { serveEndpoints } from "../../src/http/serve-endpoints.ts";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import type { LegacyLimits } from "../../src/mcp/http/legacy-sessions.ts";
import { createMcpEndpoint } from "../../src/mcp/http/mcp-endpoint.ts";

/** Identifies a caller. Loopback needs no token. */
export const token = "the-token-of-the-waiting-server";

type WaitingCall = { started: Promise<void>; finish(): void; aborted: Promise<void> };

/**
 * Our serving stack with one tool, `wait`, whose calls start and finish when the test decides. This lets a test look at
 * a running call without sleeping.
 */
export async function serveWaiting({
  auth = "auto",
  clock = systemClock,
  legacy,
}: {
  auth?: "auto" | "off";
  clock?: Clock;
  legacy?: LegacyLimits;
} = {}) {
  const calls: (WaitingCall & { begin(signal: AbortSignal): Promise<void> })[] = [];
  const reported: Error[] = [];
  const callers: (string | undefined)[] = [];
  const onError = (thrown: unknown) => void reported.push(thrown as Error);
  const endpoint = createMcpEndpoint({
    factory: ({ authInfo }) => {
      callers.push(authInfo?.clientId);
      return createWaitingServer((signal) => calls.shift()?.begin(signal));
    },
    clock,
    onError,
    ...(legacy && { legacy }),
  });
  const service = await serveEndpoints({
    endpoints: [endpoint],
    policy: createAdmissionPolicy({ auth, token }),
    port: 0,
    host: "127.0.0.1",
    clock,
    onError,
  });
  onTestFinished(() => service.stop(0));
  return {
    service,
    legacySessions: endpoint.legacySessions,
    reported,
    /** The client that each server was created for, in order. */
    callers,
    url: new URL(`http://127.0.0.1:${service.port}/mcp`),
    /** Controls the next call of `wait`. */
    nextCall(): WaitingCall {
      const call = createCall();
      calls.push(call);
      return call;
    },
  };
}

function createCall() {
  const start = signalled();
  const end = signalled();
  const abort = signalled();
  return {
    started: start.promise,
    aborted: abort.promise,
    finish: end.resolve,
    async begin(signal: AbortSignal) {
      signal.addEventListener("abort", abort.resolve);
      start.resolve();
      await end.promise;
    },
  };
}

function signalled() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function createWaitingServer(wait: (signal: AbortSignal) => Promise<void> | undefined): Server {
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const server = new Server({ name: "waiting", version: "1" }, { capabilities });
  server.setRequestHandler("tools/list", async () => ({ tools: [] }));
  server.setRequestHandler("tools/call", async (_call, { mcpReq }) => {
    await wait(mcpReq.signal);
    return { content: [{ type: "text", text: "waited" }] };
  });
  return server;
}
