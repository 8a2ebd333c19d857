import { INVALID_PARAMS } from "@modelcontextprotocol/server";
import type { Fault } from "./error-answer.ts";

/** No address of ours is nearly as long. */
const longestUri = 2_000;
const maxUris = 1_000;

/** Addresses are kept for as long as somebody is subscribed to them: they are bounded before anything sees them. */
export function findUriFault({ params }: { params?: unknown }): Fault | undefined {
  const { uri, notifications } = (params ?? {}) as { uri?: unknown; notifications?: unknown };
  const { resourceSubscriptions } = (notifications ?? {}) as { resourceSubscriptions?: unknown };
  const listed = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  if (listed.length > maxUris) return invalid(`at most ${maxUris} resources may be subscribed to at once`);
  const tooLong = [uri, ...listed].some((one) => typeof one === "string" && one.length > longestUri);
  return tooLong ? invalid(`a resource's URI has at most ${longestUri} characters`) : undefined;
}

const invalid = (message: string): Fault => ({ code: INVALID_PARAMS, message });
