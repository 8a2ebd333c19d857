import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import type { Admitted } from "../../http/admission/admission.ts";
import { pathOf } from "../../http/admission/raw-headers.ts";
import { tokenInAddress } from "../../http/admission/token.ts";
import type { Route } from "../../http/routes.ts";
import { sendJson } from "../api/answer.ts";
import { entrancePage, tokenPage } from "./token-page.ts";

/** Allows scripts, styles and fonts only from our own origin. Forbids inline code, eval and framing. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const cookieDays = 30;

type StaticFile = { body: Buffer; type: string; etag: string; isImmutable: boolean };

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/**
 * Loads all files of the page, by path. Other paths are never served, and a new build does not affect a running server.
 * Empty if nothing was built.
 */
async function loadStaticFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined);
  const loaded = await Promise.all(
    files.map(async ({ name, parentPath }): Promise<[string, StaticFile]> => {
      const path = join(parentPath, name);
      const body = await readFile(path);
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      // Vite puts the content hash into the names of files in `assets/`.
      const address = `/${relative(directory, path).split(sep).join("/")}`;
      const type = types[extname(name)] ?? "";
      return [address, { body, type, etag, isImmutable: address.startsWith("/assets/") }];
    }),
  );
  return new Map(loaded);
}

/** Serves the page and its files. Exchanges `/?token=…` for a cookie, so that no URL keeps the token. */
export function createPageRoute(directory: string): Route {
  const files = loadStaticFiles(directory);
  files.catch(() => {});

  async function handle(req: IncomingMessage, res: ServerResponse, { pageAccess }: Admitted): Promise<void> {
    const target = req.url ?? "/";
    if (pageAccess && tokenInAddress(req.method ?? "", target) !== undefined)
      return exchangeToken(res, pageAccess);
    const path = pathOf(target);
    const file = (await files).get(path === "/" ? "/index.html" : path);
    if (file) return sendFile(req, res, file);
    if (path === "/") return sendText(res, 503, "The page has not been built. Run: npm run build");
    sendJson(res, { error: { code: "PATH_NOT_FOUND", message: "Nothing is served at this path." } }, 404);
  }

  function exchangeToken(res: ServerResponse, { cookie, proof }: NonNullable<Admitted["pageAccess"]>): void {
    const { body, headers } = entrancePage(proof);
    res.writeHead(200, {
      ...headers,
      "Set-Cookie": `${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${cookieDays * 86_400}`,
    });
    res.end(body);
  }

  return { path: "/*", methods: ["GET", "HEAD"], hasOnlyFiles: true, handle, refusedPage: tokenPage };
}

function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  { body, type, etag, isImmutable }: StaticFile,
): void {
  const headers = {
    "Content-Security-Policy": pagePolicy,
    "Cache-Control": isImmutable ? "private, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
  };
  if (req.headers["if-none-match"] === etag) {
    res.writeHead(304, headers).end();
    return;
  }
  res.writeHead(200, { ...headers, "Content-Type": type, "Content-Length": body.length });
  res.end(req.method === "HEAD" ? undefined : body);
}

function sendText(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
