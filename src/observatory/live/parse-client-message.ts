import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import type { Channel, ClientMessage, RefusedPayload } from "../wire.ts";

export type ParsedMessage = { message: ClientMessage } | { refused: RefusedPayload; channel: Channel };

/** Says what is wrong without quoting it. */
export function parseClientMessage(text: string): ParsedMessage {
  const fields = readObject(text);
  if (!fields) return refuse("sessions", 'Send JSON such as {"action":"subscribe","channel":"sessions"}.');
  const { action, channel, sessionId, after } = fields;
  if (channel !== "reasoning" && channel !== "sessions")
    return refuse("sessions", "channel must be reasoning or sessions.");
  if (action !== "subscribe" && action !== "unsubscribe")
    return refuse(channel, "action must be subscribe or unsubscribe.");
  if (sessionId !== undefined && (typeof sessionId !== "string" || !sessionIdPattern.test(sessionId)))
    return refuse(channel, "sessionId must be the id of a session.");
  if (after !== undefined && !(Number.isSafeInteger(after) && (after as number) >= 0))
    return refuse(channel, "after must be a whole number from 0 on.");
  if (channel === "sessions") return { message: { action, channel } };
  const session = sessionId === undefined ? {} : { sessionId };
  if (action === "unsubscribe") return { message: { action, channel, ...session } };
  return { message: { action, channel, ...session, ...(after !== undefined && { after: after as number }) } };
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const refuse = (channel: Channel, message: string): ParsedMessage => ({
  channel,
  refused: { code: "INVALID_PAYLOAD", message },
});
