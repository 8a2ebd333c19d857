import { ThoughtboxError } from "../../kernel/errors.ts";

/** SQLite's primary result codes that this room treats differently. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

function primaryCode(thrown: unknown): number | undefined {
  const { errcode } = thrown as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** Another connection holds the write lock; trying again later is the whole cure. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === codes.busy || code === codes.locked;
}

/** Extended codes of failed reads, writes and syncs; trouble with the shared-memory file is not among them. */
const untrustworthyIo = new Set([266, 522, 778, 1034, 1290]);

/** After these the page cache or the disk cannot be trusted: the store stops writing until it is looked at. */
export function isDamage(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  if (code === codes.ioError) return untrustworthyIo.has((thrown as { errcode: number }).errcode);
  return code === codes.corrupt || code === codes.notADatabase;
}

/** Says what happened in the caller's words; SQL and paths stay in `cause`. */
export function toStorageError(thrown: unknown): ThoughtboxError {
  if (thrown instanceof ThoughtboxError) return thrown;
  const code = primaryCode(thrown) ?? fileErrorCode(thrown);
  if (code === undefined)
    return new ThoughtboxError("INTERNAL_ERROR", "Unexpected failure in the store.", { cause: thrown });
  const { message, hint } = explanations[code] ?? { message: "The store failed.", hint: doctor };
  return new ThoughtboxError("STORAGE_ERROR", `${message} Nothing was changed.`, {
    cause: thrown,
    recovery: { hint },
  });
}

const doctor = "Run `thoughtbox doctor` on the machine that serves this store.";

const explanations: Record<number, { message: string; hint: string }> = {
  [codes.busy]: {
    message: "The store stayed locked by another process for too long.",
    hint: "Send the same call again.",
  },
  [codes.readOnly]: {
    message: "The data directory cannot be written.",
    hint: "Make the data directory writable; reading goes on meanwhile.",
  },
  [codes.ioError]: { message: "The disk reported an error.", hint: doctor },
  [codes.corrupt]: { message: "The store is damaged.", hint: doctor },
  [codes.notADatabase]: { message: "The store's file is not a Thoughtbox database.", hint: doctor },
  [codes.full]: {
    message: "The disk is full.",
    hint: "Free some space and send the same call again; reading goes on meanwhile.",
  },
  [codes.cantOpen]: {
    message: "The store cannot be opened.",
    hint: "Check that the data directory exists and belongs to the user who runs Thoughtbox.",
  },
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
    case "EMFILE":
      return codes.cantOpen;
    default:
      return undefined;
  }
}
