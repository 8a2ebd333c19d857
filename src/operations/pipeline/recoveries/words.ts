import type { Recovery } from "../../../kernel/errors.ts";

/** What a caller reads of a failure. */
export type Words = {
  message: string;
  details?: Record<string, unknown>;
  recovery?: Recovery;
};

/** Words for every reason of a family; one that is missing does not compile. */
export type WordsFor<Facts> = { [Reason in keyof Facts]: (facts: Facts[Reason]) => Words };
