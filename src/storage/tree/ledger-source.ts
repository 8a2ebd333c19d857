import type { Feed } from "../../ports/feed.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { ProjectionBook } from "../../ports/projection-book.ts";

type Reads = "readSession" | "readEntries" | "readHead" | "readCritiqueChain" | "loadIndex" | "listSessions";

/** The parts of the store that the tree needs. */
export type LedgerSource = { ledger: Pick<LedgerStore, Reads>; feed: Feed; projection: ProjectionBook };
