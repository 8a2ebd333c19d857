import type { Feed } from "../../ports/feed.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { ProjectionBook } from "../../ports/projection-book.ts";

type Reads = "readSession" | "readEntries" | "readHead" | "readCritiqueChain" | "loadIndex" | "listSessions";

/** What the tree needs of the store that it shows. */
export type LedgerSource = { ledger: Pick<LedgerStore, Reads>; feed: Feed; projection: ProjectionBook };
