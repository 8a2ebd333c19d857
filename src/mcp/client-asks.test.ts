import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { askLegacyClient } from "./client-asks.ts";

const prompt = {
  system: "Review.",
  text: "It is DNS.",
  maxTokens: 1_000,
  preferences: { hints: [], intelligencePriority: 0.9, costPriority: 0.3 },
};
const ask = { ask: "critique", prompt, state: { salt: "s" } } as const;

/** Creates a connection whose other end runs `send`. */
const connection = (send: (request: unknown, options: { timeout: number }) => Promise<unknown>) =>
  ({ mcpReq: { send } }) as unknown as ServerContext;

test("gives a critic less time than clients give a call", async () => {
  const limits: number[] = [];
  const silent = connection(async (_request, { timeout }) => {
    limits.push(timeout);
    throw new Error("Request timed out");
  });
  expect(await askLegacyClient(ask, silent, {})).toEqual({
    state: ask.state,
    critique: { failed: "Request timed out" },
  });
  expect(limits).toEqual([45_000]);
});

test("treats an unknown method as a client without a model", async () => {
  const without = connection(async () => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  });
  expect((await askLegacyClient(ask, without, {})).critique).toMatchObject({ unsupported: true });
});
