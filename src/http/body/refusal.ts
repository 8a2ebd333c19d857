/** All refusals by the HTTP layer. The code behind that layer uses the codes in `kernel/`. */
const refusalStatus = {
  HOST_INVALID: 400,
  ORIGIN_INVALID: 400,
  TARGET_INVALID: 400,
  REQUEST_INVALID: 400,
  BODY_NOT_UTF8: 400,
  TOKEN_REQUIRED: 401,
  TOKEN_WRONG: 401,
  ORIGIN_NOT_ALLOWED: 403,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  EXPECTATION_NOT_SUPPORTED: 417,
  HOST_NOT_ALLOWED: 421,
  TOO_MANY_WRONG_TOKENS: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  TOO_MANY_CONNECTIONS: 503,
  SHUTTING_DOWN: 503,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof refusalStatus;

export type Refused = {
  readonly outcome: "refused";
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Messages are fixed, because quoting the client would carry its text into logs and pages. */
export function refuse(code: RefusalCode, message: string, headers: Record<string, string> = {}): Refused {
  return { outcome: "refused", status: refusalStatus[code], code, message, headers };
}

const later = { "Retry-After": "5" };
export const tooManyConnections = refuse(
  "TOO_MANY_CONNECTIONS",
  "Too many connections. Close one, then try again.",
  later,
);
export const shuttingDown = refuse("SHUTTING_DOWN", "This server is stopping.", later);
