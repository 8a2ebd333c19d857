import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Admitted } from "./admission/admission.ts";
import { pathOf } from "./admission/raw-headers.ts";
import { type Refused, refuse } from "./body/refusal.ts";

export type Route = {
  /** Compared byte for byte. `/assets/*` matches everything under `/assets/`. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Served without admission, for probes without credentials. An open route reveals and changes nothing. */
  readonly isOpen?: true;
  /** Serves the same files to everyone, so the cookie alone gives access to it. */
  readonly hasOnlyFiles?: true;
  handle(req: IncomingMessage, res: ServerResponse, admitted: Admitted): void | Promise<void>;
  /** The page that a refused browser gets instead of JSON. */
  refusedPage?(
    req: IncomingMessage,
    refused: Refused,
  ): { body: string; headers: Record<string, string> } | undefined;
};

export type UpgradeRoute = {
  readonly path: string;
  /** The handler owns the socket from here on, and closes it. */
  handle(req: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted): void | Promise<void>;
};

export const pathNotFound = refuse("PATH_NOT_FOUND", "Nothing is served at this path.");

export function findRoute<R extends { readonly path: string }>(
  routes: readonly R[],
  target: string,
): R | undefined {
  const path = pathOf(target);
  return routes.find((route) =>
    route.path.endsWith("/*") ? path.startsWith(route.path.slice(0, -1)) : path === route.path,
  );
}

/** Returns why the route does not accept an admitted request. */
export function findMismatch(route: Route, req: IncomingMessage): Refused | undefined {
  if (!route.methods.includes(req.method ?? "")) {
    return refuse("METHOD_NOT_ALLOWED", "This path does not support this method.", {
      Allow: route.methods.join(", "),
    });
  }
  if (req.method === "POST" && !carriesPlainJson(req)) {
    return refuse("CONTENT_TYPE_NOT_SUPPORTED", "Send the body as uncompressed application/json.");
  }
  return undefined;
}

/** Also prevents cross-site requests: a form on another site can post text/plain without a preflight, but not JSON. */
function carriesPlainJson(req: IncomingMessage): boolean {
  const [mediaType = ""] = (req.headers["content-type"] ?? "").split(";", 1);
  const encoding = req.headers["content-encoding"] ?? "identity";
  return mediaType.trim().toLowerCase() === "application/json" && encoding.toLowerCase() === "identity";
}
