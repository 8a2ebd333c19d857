import { quote } from "../../../kernel/text.ts";
import type { StorageFacts, StoreTrouble } from "../../../ports/storage-failures.ts";
import type { WordsFor } from "./words.ts";

const doctor = "Run `thoughtbox doctor` on the machine that serves this store.";
const makeWritable = "Make the data directory writable, or free some space, then send the same call again";
const dumpAgain = { hint: "Make a new one with `thoughtbox dump <file>`." };

const troubles: Record<StoreTrouble, { message: string; hint: string }> = {
  locked: {
    message: "The store stayed locked by another process for too long.",
    hint: "Send the same call again.",
  },
  unwritable: {
    message: "The data directory cannot be written.",
    hint: `${makeWritable} or restart Thoughtbox; reading goes on meanwhile.`,
  },
  disk_error: { message: "The disk reported an error.", hint: doctor },
  damaged: { message: "The store is damaged.", hint: doctor },
  not_a_database: { message: "The store's file is not a Thoughtbox database.", hint: doctor },
  disk_full: {
    message: "The disk is full.",
    hint: "Free some space and send the same call again; reading goes on meanwhile.",
  },
  disk_nearly_full: {
    message: "The disk is nearly full, so no cell runs and nothing is installed.",
    hint: "Free some space: cells run while 1 GiB or a tenth of the disk is free.",
  },
  cannot_open: {
    message: "The store cannot be opened.",
    hint: "Check that the data directory exists, or can be made, and belongs to the user who runs Thoughtbox.",
  },
  unreachable: {
    message: "The database cannot be reached.",
    hint: "Check that it runs and that DATABASE_URL names it, then send the same call again; Thoughtbox reconnects by itself.",
  },
  no_tls: {
    message: "No TLS connection to the database came about.",
    hint: "Check sslmode in DATABASE_URL: disable if the server offers no TLS, require if it insists on it, verify-full with sslrootcert=<file> if its certificate is not signed by a public authority.",
  },
  outcome_unknown: {
    message: "The connection to the database was lost while it committed.",
    hint: "Send the same call again with the same idempotencyKey: it returns the first result, or stores it once.",
  },
  wrong_credentials: {
    message: "The database refuses the user or the password of DATABASE_URL.",
    hint: "Correct DATABASE_URL and restart Thoughtbox.",
  },
  no_database: {
    message: "The server has no database of the name in DATABASE_URL.",
    hint: "Create it with `createdb`, or correct DATABASE_URL and restart Thoughtbox.",
  },
  no_rights: {
    message: "The database user lacks a right that Thoughtbox needs.",
    hint: "Grant it SELECT, INSERT, UPDATE and DELETE on all tables of the schema thoughtbox, and USAGE on the schema.",
  },
  read_only: {
    message: "The database only answers reads: it is a replica, or it is set to read only.",
    hint: "Name the primary in DATABASE_URL, or all hosts separated by commas; reading goes on meanwhile.",
  },
  too_many_connections: {
    message: "The database takes no more connections.",
    hint: "Lower THOUGHTBOX_POOL_SIZE, raise max_connections, or put PgBouncer in front; then send the same call again.",
  },
  timed_out: {
    message: "The database took too long.",
    hint: "Send the same call again; if it stays slow, look for long transactions in the database.",
  },
  failed: { message: "The store failed.", hint: doctor },
};

const uncertain: readonly StoreTrouble[] = ["disk_error", "outcome_unknown"];
const schemaKinds = new Set(["table", "index", "trigger", "view"]);

export const storageWords: WordsFor<StorageFacts> = {
  store_failed({ trouble }) {
    const { message, hint } = troubles[trouble];
    // A commit whose flush failed is rolled back, yet lies in the log and may come back after a restart.
    const isUncertain = uncertain.includes(trouble);
    const effect = isUncertain ? "A write may or may not have taken effect." : "Nothing was changed.";
    const outcome = isUncertain ? "unknown" : "not_stored";
    return { message: `${message} ${effect}`, details: { outcome }, recovery: { hint } };
  },
  store_failed_unexpectedly: () => ({ message: "Unexpected failure in the store." }),
  unstorable_text: () => ({
    message: "Text must not hold the character U+0000.",
    recovery: { hint: "Send the same call again without that character." },
  }),
  writes_stopped: () => ({
    message: "The store takes no writes since its disk or file failed. Nothing was changed.",
    recovery: { hint: doctor },
  }),
  store_file_lost: () => ({
    message:
      "The store's file was deleted or replaced while it was in use. What this call wrote is not in the store.",
    recovery: { hint: "Restart Thoughtbox, then send the same call again." },
  }),
  store_closed: () => ({ message: "The store is closed. Nothing was changed." }),
  schema_newer: ({ schema, newest }) => ({
    message: `The database was written by a newer Thoughtbox (schema ${schema}, this one knows ${newest}). It was left untouched.`,
    recovery: { hint: "Update thoughtbox, or name another database in DATABASE_URL." },
  }),
  store_newer: ({ format, newest }) => ({
    message: `This store was written by a newer Thoughtbox (format ${format}, this one knows ${newest}). It was left untouched.`,
    recovery: { hint: "Update thoughtbox, or point THOUGHTBOX_DATA_DIR to another directory." },
  }),
  store_older: ({ format, newest }) => ({
    message: `This store was written by an older Thoughtbox (format ${format}) and cannot be brought up to format ${newest} while it cannot be written.`,
    recovery: { hint: `${makeWritable}.` },
  }),
  store_unreleased: ({ format }) => ({
    message: `This store was written by a checkout from before the first release (format ${format}). It was left untouched.`,
    recovery: {
      hint: "Run `thoughtbox dump <file>` with that checkout (commit 131e350 reads all of them), then `thoughtbox restore <file>` with this one into another THOUGHTBOX_DATA_DIR.",
    },
  }),
  store_changed: ({ type, name, flaw }) => ({
    message: `The schema of this store was changed by another program (${flaw}: ${schemaKinds.has(type) ? type : "something"} ${quote(name)}), so it was refused and left untouched.`,
    recovery: {
      hint: "Put a backup in its place, or undo the change with a SQLite shell if it was yours. Until then, THOUGHTBOX_DATA_DIR can name another directory.",
    },
  }),
  store_foreign: () => ({
    message: "The store's file is a database of another program, so it was refused and left untouched.",
    recovery: { hint: "Move thoughtbox.db away, or point THOUGHTBOX_DATA_DIR to another directory." },
  }),
  driver_missing: ({ engine }) => ({
    ...(engine === "PostgreSQL" && {
      recovery: {
        hint: "Run `npm install pg` beside thoughtbox, with --global if thoughtbox is installed so.",
      },
    }),
    message:
      engine === "PostgreSQL"
        ? "THOUGHTBOX_STORAGE is postgres, which needs the package pg, and it is not installed."
        : `The ${engine} driver could not be loaded on this platform. Reinstall thoughtbox, or use Node.js 24.`,
  }),
  no_database_url: () => ({
    message: "THOUGHTBOX_STORAGE is postgres, but DATABASE_URL does not say which database.",
    recovery: { hint: "Set DATABASE_URL, such as postgres://user:password@host:5432/thoughtbox." },
  }),
  database_url_refused: () => ({
    message: "DATABASE_URL is no address of a PostgreSQL database.",
    recovery: { hint: "Write it as postgres://user:password@host:5432/thoughtbox." },
  }),
  server_too_old: ({ version }) => ({
    message: `The database server is PostgreSQL ${version}; Thoughtbox needs 14 or newer.`,
    recovery: { hint: "Upgrade the server, or name another one in DATABASE_URL." },
  }),
  encoding_refused: ({ encoding }) => ({
    message: `The database stores text as ${encoding}, and Thoughtbox needs UTF8.`,
    recovery: { hint: "Create a database with `createdb --encoding=UTF8 --template=template0`." },
  }),
  schema_older: ({ schema, newest }) => ({
    message:
      schema === 0
        ? "The database has no tables of Thoughtbox yet, and its user may not create them."
        : `The database has schema ${schema} and this Thoughtbox needs ${newest}, which its user may not change.`,
    recovery: {
      hint: "Run `thoughtbox migrate` with a DATABASE_URL of the owner of the tables.",
    },
  }),
  not_offered: ({ what }) =>
    what === "backup"
      ? {
          message: "This kind of store has no file that could be copied.",
          recovery: { hint: "Use the tools of its database, or `thoughtbox dump <file>`." },
        }
      : {
          message: "This kind of store indexes what it writes at once, so there is nothing to index again.",
        },
  data_dir_refused: ({ flaw }) => ({
    message: `The data directory is refused: ${flaw}${flaw === "it is a symbolic link" ? "; name the real directory" : ""}.`,
    recovery: { hint: "Point THOUGHTBOX_DATA_DIR to a directory of your own." },
  }),
  file_exists: () => ({
    message: "There is a file of this name already; it was left alone.",
    recovery: { hint: "Choose another name." },
  }),
  backup_unwritable: ({ errno }) => ({
    message: `The backup cannot be written (${errno}).`,
    recovery: { hint: "Choose a directory that exists and is writable." },
  }),
  backup_not_whole: ({ problem }) => ({
    message: `The copy is not whole${problem === undefined ? "" : ` (${problem})`}; it was removed.`,
    recovery: { hint: "Run `thoughtbox doctor`: the store itself may be damaged." },
  }),
  file_unwritable: ({ errno }) => ({
    message: `The file could not be written (${errno}); nothing was changed.`,
    recovery: { hint: "Check that the directory is writable and the disk has room." },
  }),
  new_file_unwritable: ({ errno }) => ({
    message: `The file cannot be written (${errno}); nothing is left of it.`,
    recovery: { hint: "Choose a directory that exists, is writable and has room." },
  }),
  export_unreadable: ({ path }) => ({
    message: `There is no file ${quote(path)} that may be read.`,
    recovery: { hint: "Put the file into the exports directory, or pass its text as content." },
  }),
  destination_refused: ({ destination }) => ({
    message: `destination ${quote(destination)} is not allowed.`,
    recovery: {
      hint: "Name a folder inside the exports directory, or let the operator add one to THOUGHTBOX_EXPORT_DIRS.",
    },
  }),
  destination_taken: () => ({
    message:
      "A file of this name exists already and is not an earlier export of the same thing; it was left alone.",
    recovery: { hint: "Choose another name as destination." },
  }),
  destination_in_file: ({ file }) => ({
    message: `${quote(file)} is a file, so nothing can be written below it.`,
    recovery: { hint: "Choose a place in a directory, or in one that does not exist yet." },
  }),
  not_a_dump: ({ path }) => ({
    message: `${quote(path)} is no dump of Thoughtbox, or was cut short; nothing was changed.`,
    recovery: dumpAgain,
  }),
  dump_unreadable: ({ path, errno }) => ({
    message: `${quote(path)} cannot be read (${errno}).`,
    recovery: { hint: "Name a file that `thoughtbox dump` wrote." },
  }),
  dump_line_too_long: ({ path, line }) => ({
    message: `Line ${line} of ${quote(path)} is longer than any that Thoughtbox writes; the file was not read further.`,
    recovery: dumpAgain,
  }),
  import_folder_missing: ({ directory }) => ({
    message: `There is no directory ${quote(directory)} to import.`,
  }),
  no_sandbox: ({ lacking, raise }) => ({
    message: `No cell can run here: nothing would keep it in bounds (${lacking.map(({ level, reason }) => `${level}: ${reason}`).join("; ")}).`,
    recovery: {
      hint: raise === undefined ? "See docs/guide/notebooks.md for what a sandbox needs." : `Run: ${raise}`,
    },
  }),
  no_network: ({ reason }) => ({
    message:
      reason === undefined
        ? "This notebook asks for the network, which this server does not give to cells."
        : `This notebook asks for the network, and here no network can be kept apart from this machine: ${reason}.`,
    recovery: {
      hint:
        reason === undefined
          ? "Use a notebook without net, or start Thoughtbox with THOUGHTBOX_NOTEBOOK_NET=on."
          : "Use a notebook without net, or install pasta (package passt) on the machine that runs Thoughtbox.",
    },
  }),
  unknown_event_type: ({ type, guess, known }) => ({
    message: `THOUGHTBOX_EVENT_TYPES names ${quote(type)}, which is no event type; ${guess ? `did you mean ${guess}?` : `the types are ${known.join(", ")}.`}`,
  }),
};
