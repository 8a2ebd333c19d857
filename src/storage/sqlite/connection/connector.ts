import { storageFailure } from "../../../ports/storage-failures.ts";
import { type Connection, type Location, type OpenOptions, openDatabase } from "./open-database.ts";

/** While the store can only be read, this often it is looked at afresh: another process may have gone on. */
const staleAfterMs = 1_000;

/**
 * Opens at the first use. A store that could only be read is opened again before every write, so that a
 * directory that became writable, or a disk that has room again, needs no restart.
 */
export function createConnector(location: Location, options: OpenOptions) {
  let open: Connection | undefined;
  let openedAt = 0;
  let closed = false;

  function connect(readOnlyForMs: number): Connection {
    if (closed) throw storageFailure("store_closed", {});
    if (open?.readOnly && performance.now() - openedAt >= readOnlyForMs) letGo();
    if (open === undefined) {
      open = openDatabase(location, options);
      openedAt = performance.now();
    }
    return open;
  }

  function letGo(): void {
    open?.db.close();
    open = undefined;
  }

  return {
    toRead: () => connect(staleAfterMs),
    toWrite: () => connect(0),
    isOpen: () => open !== undefined,
    close(): void {
      closed = true;
      letGo();
    },
  };
}
