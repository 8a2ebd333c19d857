import { ThoughtboxError } from "../../../kernel/errors.ts";
import { type StoreTrouble, storageFailure } from "../../../ports/storage-failures.ts";

const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | undefined)?.code ?? "");

const unstorable = "ERR_TEXT_WITH_NUL";

/** Returns an error that is not yet a refusal, because the write's earlier changes must be rolled back first. */
export function unstorableText(): Error {
  return Object.assign(new Error("text contains U+0000"), { code: unstorable });
}

/** Returns true if another transaction interfered. Decisions are pure, so running them again is safe. */
export const isContention = (thrown: unknown): boolean => ["40001", "40P01"].includes(codeOf(thrown));

const lostCodes = new Set([
  ...[
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOENT",
    "ENOTFOUND",
  ],
  ...["EAI_AGAIN", "57P01", "57P02", "57P03", "08000", "08001", "08003", "08004", "08006", "25006", "53300"],
]);

/**
 * Returns true if the server is unreachable or does not accept writes. It or another server may be available
 * soon.
 */
export function isLost(thrown: unknown): boolean {
  if (thrown instanceof ThoughtboxError) return false;
  const { message = "" } = thrown as { message?: string };
  return lostCodes.has(codeOf(thrown)) || /Connection terminated|timeout expired|not queryable/.test(message);
}

/** Returns true if the server refused a statement. Nothing after it in the transaction takes effect. */
export const isAnswer = (thrown: unknown): boolean =>
  typeof thrown === "object" && thrown !== null && "severity" in thrown;

/** Returns true if a prepared statement is lost or belongs to another client, which a pooler can cause. */
export const isUnprepared = (thrown: unknown): boolean => ["26000", "42P05"].includes(codeOf(thrown));

/** Thrown if the commit was sent but not answered. */
export class UnknownOutcome extends Error {}

const troubles: Record<string, StoreTrouble> = {
  "28P01": "wrong_credentials",
  "28000": "wrong_credentials",
  "3D000": "no_database",
  "42501": "no_rights",
  "25006": "read_only",
  "53100": "disk_full",
  "53300": "too_many_connections",
  "55P03": "locked",
  "57014": "timed_out",
  "25P03": "timed_out",
  "58030": "disk_error",
  XX001: "damaged",
  XX002: "damaged",
};

const ofTls = /^(?:ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO_)|CERT|does not support SSL|no encryption/;

function findTrouble(thrown: unknown): StoreTrouble | undefined {
  const { message = "" } = thrown as { message?: string };
  if (ofTls.test(codeOf(thrown)) || ofTls.test(message)) return "no_tls";
  return troubles[codeOf(thrown)] ?? (isLost(thrown) ? "unreachable" : undefined);
}

/** Failures whose names explain them. The cause would only add the user and the server's address. */
const explained: readonly StoreTrouble[] = [
  ...(["unreachable", "no_tls", "wrong_credentials", "no_database", "too_many_connections"] as const),
];

/** Converts a driver error. The message never contains SQL. Only `cause` does. */
export function toStorageError(thrown: unknown): ThoughtboxError {
  if (thrown instanceof ThoughtboxError) return thrown;
  if (codeOf(thrown) === unstorable) return storageFailure("unstorable_text", {});
  if (thrown instanceof UnknownOutcome)
    return storageFailure("store_failed", { trouble: "outcome_unknown" }, thrown);
  const trouble = findTrouble(thrown);
  if (trouble)
    return storageFailure("store_failed", { trouble }, explained.includes(trouble) ? undefined : thrown);
  return /^[0-9A-Z]{5}$/.test(codeOf(thrown))
    ? storageFailure("store_failed", { trouble: "failed" }, thrown)
    : storageFailure("store_failed_unexpectedly", {}, thrown);
}
