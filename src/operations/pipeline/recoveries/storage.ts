import { quote } from "../../../kernel/text.ts";
import type { StorageFacts, StoreTrouble } from "../../../ports/storage-failures.ts";
import type { WordsFor } from "./words.ts";

const doctor = "Run `thoughtbox doctor` on the machine that serves this store.";
const makeWritable = "Make the data directory writable, or free some space. Then send the same call again";
const dumpAgain = { hint: "Write a new dump with `thoughtbox dump <file>`." };

const troubles: Record<StoreTrouble, { message: string; hint: string }> = {
  locked: {
    message: "Another process kept the store locked for too long.",
    hint: "Send the same call again.",
  },
  unwritable: {
    message: "The data directory is not writable.",
    hint: `${makeWritable}, or restart Thoughtbox. Reads still work.`,
  },
  disk_error: { message: "The disk reported an error.", hint: doctor },
  damaged: { message: "The store is damaged.", hint: doctor },
  not_a_database: { message: "The store's file is not a Thoughtbox database.", hint: doctor },
  disk_full: {
    message: "The disk is full.",
    hint: "Free some space and send the same call again. Reads still work.",
  },
  disk_nearly_full: {
    message: "The disk is nearly full, so Thoughtbox does not run cells or install packages.",
    hint: "Free some space. At least 1 GiB or a tenth of the disk must be free, whichever is less.",
  },
  cannot_open: {
    message: "The store cannot be opened.",
    hint: "Check that the data directory exists, or can be created, and belongs to the user who runs Thoughtbox.",
  },
  unreachable: {
    message: "The database cannot be reached.",
    hint: "Check that the database is running and that DATABASE_URL is correct, then send the same call again. Thoughtbox reconnects automatically.",
  },
  no_tls: {
    message: "The TLS connection to the database failed.",
    hint: "Check sslmode in DATABASE_URL: disable if the server offers no TLS, require if it requires TLS, verify-full with sslrootcert=<file> if its certificate is not signed by a public authority.",
  },
  outcome_unknown: {
    message: "The connection to the database was lost during a commit.",
    hint: "Send the same call again with the same idempotencyKey. The write takes effect only once.",
  },
  wrong_credentials: {
    message: "The database refuses the user or the password in DATABASE_URL.",
    hint: "Correct DATABASE_URL and restart Thoughtbox.",
  },
  no_database: {
    message: "The database in DATABASE_URL does not exist on the server.",
    hint: "Create the database with `createdb`, or correct DATABASE_URL and restart Thoughtbox.",
  },
  no_rights: {
    message: "The database user lacks a privilege that Thoughtbox needs.",
    hint: "Grant the user SELECT, INSERT, UPDATE and DELETE on all tables of the schema thoughtbox, and USAGE on the schema.",
  },
  read_only: {
    message: "The database is read-only. It may be a replica, or configured as read-only.",
    hint: "Point DATABASE_URL to the primary, or list all hosts in DATABASE_URL, separated by commas. Reads still work.",
  },
  too_many_connections: {
    message: "The database accepts no more connections.",
    hint: "Lower THOUGHTBOX_POOL_SIZE, raise max_connections, or put PgBouncer in front. Then send the same call again.",
  },
  timed_out: {
    message: "The database took too long to answer.",
    hint: "Send the same call again. If the database stays slow, look for long transactions.",
  },
  failed: { message: "The store failed.", hint: doctor },
};

const uncertain: readonly StoreTrouble[] = ["disk_error", "outcome_unknown"];
const schemaKinds = new Set(["table", "index", "trigger", "view"]);

export const storageWords: WordsFor<StorageFacts> = {
  store_failed({ trouble }) {
    const { message, hint } = troubles[trouble];
    // A commit whose flush failed is rolled back, but it is still in the log and may reappear after a
    // restart.
    const isUncertain = uncertain.includes(trouble);
    const effect = isUncertain ? "A write may or may not have taken effect." : "Nothing was changed.";
    const outcome = isUncertain ? "unknown" : "not_stored";
    return { message: `${message} ${effect}`, details: { outcome }, recovery: { hint } };
  },
  store_failed_unexpectedly: () => ({ message: "Unexpected failure in the store." }),
  unstorable_text: () => ({
    message: "Text must not contain the character U+0000.",
    recovery: { hint: "Send the same call again without that character." },
  }),
  writes_stopped: () => ({
    message: "The store no longer accepts writes, because its disk or file failed. Nothing was changed.",
    recovery: { hint: doctor },
  }),
  store_file_lost: () => ({
    message:
      "The store's file was deleted or replaced while it was in use. The changes from this call are not in the store.",
    recovery: { hint: "Restart Thoughtbox, then send the same call again." },
  }),
  store_closed: () => ({ message: "The store is closed. Nothing was changed." }),
  schema_newer: ({ schema, newest }) => ({
    message: `The database was written by a newer Thoughtbox (schema ${schema}, this version supports up to ${newest}). It was left untouched.`,
    recovery: { hint: "Update thoughtbox, or set DATABASE_URL to another database." },
  }),
  store_newer: ({ format, newest }) => ({
    message: `This store was written by a newer Thoughtbox (format ${format}, this version supports up to ${newest}). It was left untouched.`,
    recovery: { hint: "Update thoughtbox, or point THOUGHTBOX_DATA_DIR to another directory." },
  }),
  store_older: ({ format, newest }) => ({
    message: `This store was written by an older Thoughtbox (format ${format}) and cannot be updated to format ${newest}, because the store is not writable.`,
    recovery: { hint: `${makeWritable}.` },
  }),
  store_unreleased: ({ format }) => ({
    message: `This store was written by a checkout from before the first release (format ${format}). It was left untouched.`,
    recovery: {
      hint: "Run `thoughtbox dump <file>` with that checkout (commit 131e350 reads all of these formats). Then set THOUGHTBOX_DATA_DIR to another directory, and run `thoughtbox restore <file>` with this version.",
    },
  }),
  store_changed: ({ type, name, flaw }) => ({
    message: `The schema of this store was changed by another program (${flaw}: ${schemaKinds.has(type) ? type : "something"} ${quote(name)}), so Thoughtbox did not open it.`,
    recovery: {
      hint: "Replace the store with a backup. If you made the change yourself, you can undo it with a SQLite shell instead. Until then, point THOUGHTBOX_DATA_DIR to another directory.",
    },
  }),
  store_foreign: () => ({
    message: "The store's file is another program's database, so Thoughtbox left it untouched.",
    recovery: { hint: "Move thoughtbox.db elsewhere, or point THOUGHTBOX_DATA_DIR to another directory." },
  }),
  driver_missing: ({ engine }) => ({
    ...(engine === "PostgreSQL" && {
      recovery: {
        hint: "Run `npm install pg` beside thoughtbox, with --global if thoughtbox is installed globally.",
      },
    }),
    message:
      engine === "PostgreSQL"
        ? "THOUGHTBOX_STORAGE is postgres, which needs the pg package, but pg is not installed."
        : `The ${engine} driver could not be loaded on this platform. Reinstall thoughtbox, or use Node.js 24.`,
  }),
  no_database_url: () => ({
    message: "THOUGHTBOX_STORAGE is postgres, but DATABASE_URL is not set.",
    recovery: { hint: "Set DATABASE_URL, such as postgres://user:password@host:5432/thoughtbox." },
  }),
  database_url_refused: () => ({
    message: "DATABASE_URL is not the address of a PostgreSQL database.",
    recovery: { hint: "Write DATABASE_URL as postgres://user:password@host:5432/thoughtbox." },
  }),
  server_too_old: ({ version }) => ({
    message: `The database server is PostgreSQL ${version}. Thoughtbox needs 14 or newer.`,
    recovery: { hint: "Upgrade the server, or set DATABASE_URL to another server." },
  }),
  encoding_refused: ({ encoding }) => ({
    message: `The database stores text as ${encoding}, but Thoughtbox needs UTF8.`,
    recovery: { hint: "Create a database with `createdb --encoding=UTF8 --template=template0`." },
  }),
  schema_older: ({ schema, newest }) => ({
    message:
      schema === 0
        ? "The database has no Thoughtbox tables yet, and the database user may not create them."
        : `The database has schema ${schema}, but this Thoughtbox needs ${newest}, and the database user may not change the schema.`,
    recovery: {
      hint: "Run `thoughtbox migrate` with the DATABASE_URL of the tables' owner.",
    },
  }),
  not_offered: ({ what }) =>
    what === "backup"
      ? {
          message: "This storage has no file to copy.",
          recovery: { hint: "Use the database's own tools, or `thoughtbox dump <file>`." },
        }
      : {
          message: "This storage indexes every write immediately, so there is nothing to reindex.",
        },
  data_dir_refused: ({ flaw }) => ({
    message: `The data directory cannot be used: ${flaw}.${flaw === "it is a symbolic link" ? " Use the real directory." : ""}`,
    recovery: { hint: "Point THOUGHTBOX_DATA_DIR to your own directory." },
  }),
  file_exists: ({ path }) => ({
    message: `The file ${quote(path)} already exists. It was not changed.`,
    recovery: { hint: "Choose another name." },
  }),
  backup_unwritable: ({ errno }) => ({
    message: `The backup cannot be written (${errno}).`,
    recovery: { hint: "Choose a directory that exists and is writable." },
  }),
  backup_not_whole: ({ problem }) => ({
    message: `The copy is not complete${problem === undefined ? "" : ` (${problem})`}. It was removed.`,
    recovery: { hint: "Run `thoughtbox doctor`: the store itself may be damaged." },
  }),
  file_unwritable: ({ errno }) => ({
    message: `The file could not be written (${errno}). Nothing was changed.`,
    recovery: { hint: "Check that the directory is writable and the disk has space." },
  }),
  new_file_unwritable: ({ errno }) => ({
    message: `The file cannot be written (${errno}). No partial file was left behind.`,
    recovery: { hint: "Choose a directory that exists, is writable and has space." },
  }),
  export_unreadable: ({ path }) => ({
    message: `The file ${quote(path)} does not exist or cannot be read.`,
    recovery: { hint: "Put the file into the exports directory, or pass its text as content." },
  }),
  destination_refused: ({ destination }) => ({
    message: `destination ${quote(destination)} is not allowed.`,
    recovery: {
      hint: "Choose a directory inside the exports directory, or ask the operator to add one to THOUGHTBOX_EXPORT_DIRS.",
    },
  }),
  destination_taken: () => ({
    message:
      "A file with this name already exists and is not an earlier export of the same item. It was not changed.",
    recovery: { hint: "Choose another name for the destination." },
  }),
  destination_in_file: ({ file }) => ({
    message: `${quote(file)} is a file, so nothing can be written below it.`,
    recovery: { hint: "Choose a path whose parents are all directories." },
  }),
  not_a_dump: ({ path }) => ({
    message: `${quote(path)} is not a Thoughtbox dump, or is incomplete. Nothing was changed.`,
    recovery: dumpAgain,
  }),
  dump_unreadable: ({ path, errno }) => ({
    message: `${quote(path)} cannot be read (${errno}).`,
    recovery: { hint: "Pass a file that `thoughtbox dump` wrote." },
  }),
  dump_line_too_long: ({ path, line }) => ({
    message: `Line ${line} of ${quote(path)} is longer than any line that Thoughtbox writes. The rest of the file was not read.`,
    recovery: dumpAgain,
  }),
  import_folder_missing: ({ directory }) => ({
    message: `There is no directory ${quote(directory)} to import.`,
  }),
  no_sandbox: ({ lacking, raise }) => ({
    message: `No cell can run here, because no sandbox is available (${lacking.map(({ level, reason }) => `${level}: ${reason}`).join("; ")}).`,
    recovery: {
      hint:
        raise === undefined
          ? "docs/guide/notebooks.md lists the requirements of the sandbox."
          : `Run: ${raise}`,
    },
  }),
  no_network: ({ reason }) => ({
    message:
      reason === undefined
        ? "This notebook needs the network, which this server does not allow."
        : `This notebook needs the network, but Thoughtbox cannot isolate its cells from this machine: ${reason}.`,
    recovery: {
      hint:
        reason === undefined
          ? "Use a notebook without net, or start Thoughtbox with THOUGHTBOX_NOTEBOOK_NET=on."
          : "Use a notebook without net, or install pasta (package passt) on the machine that runs Thoughtbox.",
    },
  }),
  unknown_event_type: ({ type, guess, known }) => ({
    message: `THOUGHTBOX_EVENT_TYPES contains ${quote(type)}, which is not an event type. ${guess ? `Did you mean ${guess}?` : `The types are ${known.join(", ")}.`}`,
  }),
};
