import { ThoughtboxError } from "../../../kernel/errors.ts";
import { type StoreTrouble, storageFailure } from "../../../ports/storage-failures.ts";

/** The primary result codes that this folder handles differently. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  notADatabase: 26,
};

/** SQLite returns this code if a full disk keeps the shared-memory file from growing. */
const noRoomForSharedMemory = 4874;

/** Codes by message, because the driver's `all` omits the code. All versions use the same messages. */
const sentences: Record<string, number> = {
  "database is locked": codes.busy,
  "database table is locked": codes.locked,
  "attempt to write a readonly database": codes.readOnly,
  "disk I/O error": codes.ioError,
  "database disk image is malformed": codes.corrupt,
  "database or disk is full": codes.full,
  "unable to open database file": codes.cantOpen,
  "locking protocol": codes.protocol,
  "file is not a database": codes.notADatabase,
};

function primaryCode(thrown: unknown): number | undefined {
  const { code, errcode, message } = thrown as { code?: unknown; errcode?: unknown; message?: unknown };
  if (errcode === noRoomForSharedMemory) return codes.full;
  if (typeof errcode === "number") return errcode & 0xff;
  if (code !== "ERR_SQLITE_ERROR" || typeof message !== "string") return undefined;
  return Object.hasOwn(sentences, message) ? sentences[message] : undefined;
}

/** True if another connection holds a lock. In that case, it is enough to try again later. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === codes.busy || code === codes.locked || code === codes.protocol;
}

export function isReadOnly(thrown: unknown): boolean {
  return (primaryCode(thrown) ?? fileErrorCode(thrown)) === codes.readOnly;
}

/** True if the store cannot be opened for writing at the moment. It may still be readable. */
export function isUnwritable(thrown: unknown): boolean {
  const code = primaryCode(thrown) ?? fileErrorCode(thrown);
  return code === codes.readOnly || code === codes.full || code === codes.cantOpen;
}

const unstorable = "ERR_TEXT_WITH_NUL";

/** Returns the error for U+0000 in a text. It becomes a refusal once the write's changes are rolled back. */
export function unstorableText(): Error {
  return Object.assign(new Error("text contains U+0000"), { code: unstorable });
}

/** Extended codes for failed reads, writes and syncs. Excludes errors with the shared-memory file. */
const untrustworthyIo = new Set([266, 522, 778, 1034, 1290]);

/**
 * True if the page cache or the disk cannot be trusted after this error. The store then stops writing until a
 * person has checked it.
 */
export function isDamage(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  if (code === codes.ioError) return untrustworthyIo.has((thrown as { errcode: number }).errcode);
  return code === codes.corrupt || code === codes.notADatabase;
}

/** Converts a driver error. The message never contains SQL or paths. Only `cause` does. */
export function toStorageError(thrown: unknown): ThoughtboxError {
  if (thrown instanceof ThoughtboxError) return thrown;
  if ((thrown as { code?: unknown }).code === unstorable) return storageFailure("unstorable_text", {});
  const code = primaryCode(thrown) ?? fileErrorCode(thrown);
  if (code === undefined) return storageFailure("store_failed_unexpectedly", {}, thrown);
  return storageFailure("store_failed", { trouble: troubles[code] ?? "failed" }, thrown);
}

export function unwritable(): ThoughtboxError {
  return storageFailure("store_failed", { trouble: "unwritable" });
}

const troubles: Record<number, StoreTrouble> = {
  [codes.busy]: "locked",
  [codes.locked]: "locked",
  [codes.protocol]: "locked",
  [codes.readOnly]: "unwritable",
  [codes.ioError]: "disk_error",
  [codes.corrupt]: "damaged",
  [codes.notADatabase]: "not_a_database",
  [codes.full]: "disk_full",
  [codes.cantOpen]: "cannot_open",
};

function fileErrorCode(thrown: unknown): number | undefined {
  switch ((thrown as NodeJS.ErrnoException).code) {
    case "ENOSPC":
    case "EDQUOT":
      return codes.full;
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return codes.readOnly;
    case "EIO":
      return codes.ioError;
    case "ENOENT":
    case "ENOTDIR":
    case "ELOOP":
    case "ENAMETOOLONG":
    case "EEXIST":
    case "EMFILE":
    case "ENFILE":
      return codes.cantOpen;
    default:
      return undefined;
  }
}
