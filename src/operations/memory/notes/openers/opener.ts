import type { MemoryContext } from "../../../pipeline/context.ts";
import type { OpenId } from "../open-id.ts";
import type { Opened } from "./opened-schema.ts";

export type OpenMemory = MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;

export type Asked = { limit: number; drafts: boolean };

/** `undefined` where nothing has the id. */
export type Opener<Kind extends OpenId["kind"]> = (
  memory: OpenMemory,
  id: Extract<OpenId, { kind: Kind }>,
  asked: Asked,
) => Promise<Opened | undefined>;
