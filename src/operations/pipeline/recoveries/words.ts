import type { Recovery } from "../../../kernel/errors.ts";

export type Words = {
  message: string;
  details?: Record<string, unknown>;
  recovery?: Recovery;
};

/** Messages for every reason in a family. The compiler reports a missing message. */
export type WordsFor<Facts> = { [Reason in keyof Facts]: (facts: Facts[Reason]) => Words };
