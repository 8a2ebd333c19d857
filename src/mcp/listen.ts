import { type JSONRPCMessage, type JSONRPCRequest, ProtocolError } from "@modelcontextprotocol/server";
import { clip, visible } from "../kernel/text.ts";
import { type ErrorAnswer, errorAnswer } from "./framing/error-answer.ts";

export type NarrowedListen = { deliver: JSONRPCMessage } | { refuse: ErrorAnswer };

type Filter = { resourceSubscriptions?: unknown } & Record<string, unknown>;

/**
 * Before the SDK sees the request, removes subscriptions that would never fire, so the acknowledgement does
 * not list them. A request with no other subscriptions is refused.
 */
export async function narrowListen(
  message: JSONRPCRequest,
  requireFollowed: (uri: string) => Promise<void>,
): Promise<NarrowedListen> {
  const { resourceSubscriptions: asked, ...others } = (message.params?.["notifications"] ?? {}) as Filter;
  if (!Array.isArray(asked) || asked.length === 0 || asked.some((uri) => typeof uri !== "string"))
    return { deliver: message };
  const followed: string[] = [];
  let refusal: ProtocolError | undefined;
  for (const uri of new Set<string>(asked)) {
    try {
      await requireFollowed(uri);
      followed.push(uri);
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError)) throw thrown;
      refusal ??= thrown;
    }
  }
  if (refusal && followed.length === 0 && !Object.values(others).includes(true))
    return { refuse: errorAnswer(message.id, { code: refusal.code, message: refusal.message }) };
  const notifications = { ...others, resourceSubscriptions: followed };
  return { deliver: { ...message, params: { ...message.params, notifications } } };
}

const maxLength = 300;

/**
 * The SDK's errors quote the client's text, raw and at any length. The log gets one short line with visible characters.
 */
export function briefErrors(onError: (error: Error) => void): (error: Error) => void {
  return (error) => {
    const { message } = error;
    const brief = visible(clip(message, maxLength)) + (message.length > maxLength ? "…" : "");
    onError(new Error(brief, { cause: error }));
  };
}
