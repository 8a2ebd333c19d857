import type { CellContent } from "../cell.ts";
import type { Language } from "../filename.ts";

/** What a `.src.md` file says. Ids, versions and outputs are the store's. */
export type SrcMd = { language: Language; tsconfig?: string | undefined; cells: readonly CellContent[] };
