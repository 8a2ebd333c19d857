import { ThoughtboxError } from "../../kernel/errors.ts";
import { parseAuthority } from "./authority.ts";
import { digestToken, tokenPattern } from "./token.ts";

export type AuthMode = "auto" | "token" | "off";

export type AdmissionPolicy = {
  readonly auth: AuthMode;
  readonly tokenDigest: Uint8Array;
  /** Lower-case `name` or `name:port`, compared exactly. */
  readonly allowedHosts: readonly string[];
  /** Serialised origins, compared exactly. */
  readonly allowedOrigins: readonly string[];
  /** The origins of the Observatory, if another port serves it. */
  uiOrigins(): readonly string[];
  /** True if pages are served here. Pages send the token in the URL, a cookie or a WebSocket protocol. */
  readonly hasPages: boolean;
};

export type AdmissionSettings = {
  readonly auth: AuthMode;
  readonly token: string;
  /** The digest of the accepted token, if it differs from `token`. */
  readonly tokenDigest?: Uint8Array;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  uiOrigins?(): readonly string[];
  readonly hasPages?: boolean;
};

/** Throws if an entry could never match, so that a typo is found at startup and not when a request is refused. */
export function createAdmissionPolicy(settings: AdmissionSettings): AdmissionPolicy {
  if (!tokenPattern.test(settings.token))
    throw unusable("The token contains characters that an Authorization header cannot contain.");
  return {
    auth: settings.auth,
    tokenDigest: settings.tokenDigest ?? digestToken(settings.token),
    allowedHosts: (settings.allowedHosts ?? []).map(toAllowedHost),
    allowedOrigins: (settings.allowedOrigins ?? []).map(toAllowedOrigin),
    uiOrigins: settings.uiOrigins ?? (() => []),
    hasPages: settings.hasPages ?? false,
  };
}

function toAllowedHost(entry: string): string {
  const host = entry.trim().toLowerCase();
  if (parseAuthority(host)) return host;
  throw unusable("THOUGHTBOX_ALLOWED_HOSTS takes names such as box.example.com or box.example.com:1731.");
}

/**
 * Editors and extensions have their own schemes (`vscode-webview://…`). `null` and `*` are not accepted, because they
 * identify no origin.
 */
function toAllowedOrigin(entry: string): string {
  const origin = entry.trim().toLowerCase();
  if (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*]+$/.test(origin)) return origin;
  throw unusable("THOUGHTBOX_ALLOWED_ORIGINS takes origins such as https://app.example.com, without a path.");
}

function unusable(message: string): ThoughtboxError {
  return new ThoughtboxError("INVALID_PAYLOAD", message);
}
