import { defineFailures } from "../kernel/errors.ts";
import type { SandboxReport } from "./notebook/cell-runner.ts";

export type StoreTrouble =
  | "locked"
  | "unwritable"
  | "disk_error"
  | "damaged"
  | "not_a_database"
  | "disk_full"
  /** Raised only for cells and their packages, which could fill the disk. */
  | "disk_nearly_full"
  | "cannot_open"
  /** The following failures occur only with a database server. */
  | "unreachable"
  | "no_tls"
  | "outcome_unknown"
  | "wrong_credentials"
  | "no_database"
  | "no_rights"
  | "read_only"
  | "too_many_connections"
  | "timed_out"
  /** Any other error from the database. */
  | "failed";

/** `errno` is the system's name for the error, such as EACCES. */
type Errno = { errno: string };
type Formats = { format: number; newest: number };

/** The reasons why an adapter refuses or fails, and the facts that each message needs. */
export type StorageFacts = {
  store_failed: { trouble: StoreTrouble };
  store_failed_unexpectedly: Record<never, never>;
  unstorable_text: Record<never, never>;
  /** The store accepts no writes because damage was found. */
  writes_stopped: Record<never, never>;
  store_file_lost: Record<never, never>;
  store_closed: Record<never, never>;
  store_newer: Formats;
  store_older: Formats;
  /** Written by a development version from before the first release, whose formats are not migrated. */
  store_unreleased: { format: number };
  /** A trigger, view, table or index that this program did not create, or that has been changed since. */
  store_changed: { type: string; name: string; flaw: "added" | "altered" | "removed" };
  store_foreign: Record<never, never>;
  /** `engine` is the name of the database, such as SQLite. */
  driver_missing: { engine: string };
  /** The operation does not exist for this kind of store. */
  not_offered: { what: "backup" | "reindex" };
  /** The settings select a database as the store, but no database is configured. */
  no_database_url: Record<never, never>;
  database_url_refused: Record<never, never>;
  server_too_old: { version: number };
  encoding_refused: { encoding: string };
  /** `schema` is 0 if there is no schema. */
  schema_older: { schema: number; newest: number };
  schema_newer: { schema: number; newest: number };
  /** A clause, such as "it belongs to another user". */
  data_dir_refused: { flaw: string };
  file_exists: { path: string };
  backup_unwritable: Errno;
  backup_not_whole: { problem?: string | undefined };
  file_unwritable: Errno;
  new_file_unwritable: Errno;
  export_unreadable: { path: string };
  destination_refused: { destination: string };
  destination_taken: Record<never, never>;
  destination_in_file: { file: string };
  not_a_dump: { path: string };
  dump_unreadable: Errno & { path: string };
  dump_line_too_long: { path: string; line: number };
  import_folder_missing: { directory: string };
  no_sandbox: Pick<SandboxReport, "lacking" | "raise">;
  /** If `reason` is absent, the operator does not allow cells to use the network. */
  no_network: { reason: string | undefined };
  /** `guess` is the closest known type, if there is one. */
  unknown_event_type: { type: string; guess?: string | undefined; known: readonly string[] };
};

/** Creates the failures that adapters throw when no domain rule is broken. */
export const storageFailure = defineFailures<StorageFacts>({
  store_failed: "STORAGE_ERROR",
  store_failed_unexpectedly: "INTERNAL_ERROR",
  unstorable_text: "INVALID_PAYLOAD",
  writes_stopped: "STORAGE_ERROR",
  store_file_lost: "STORAGE_ERROR",
  store_closed: "STORAGE_ERROR",
  store_newer: "STORAGE_ERROR",
  store_older: "STORAGE_ERROR",
  store_unreleased: "STORAGE_ERROR",
  store_changed: "STORAGE_ERROR",
  store_foreign: "STORAGE_ERROR",
  driver_missing: "STORAGE_ERROR",
  not_offered: "INVALID_PAYLOAD",
  no_database_url: "INVALID_PAYLOAD",
  database_url_refused: "INVALID_PAYLOAD",
  server_too_old: "STORAGE_ERROR",
  encoding_refused: "STORAGE_ERROR",
  schema_older: "STORAGE_ERROR",
  schema_newer: "STORAGE_ERROR",
  data_dir_refused: "STORAGE_ERROR",
  file_exists: "CONFLICT",
  backup_unwritable: "STORAGE_ERROR",
  backup_not_whole: "STORAGE_ERROR",
  file_unwritable: "STORAGE_ERROR",
  new_file_unwritable: "STORAGE_ERROR",
  export_unreadable: "INVALID_PAYLOAD",
  destination_refused: "INVALID_PAYLOAD",
  destination_taken: "INVALID_PAYLOAD",
  destination_in_file: "INVALID_PAYLOAD",
  not_a_dump: "INVALID_PAYLOAD",
  dump_unreadable: "INVALID_PAYLOAD",
  dump_line_too_long: "INVALID_PAYLOAD",
  import_folder_missing: "INVALID_PAYLOAD",
  no_sandbox: "SANDBOX_REQUIRED",
  no_network: "SANDBOX_REQUIRED",
  unknown_event_type: "INVALID_PAYLOAD",
});
