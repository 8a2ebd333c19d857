import type { Beliefs } from "../../model/beliefs.ts";
import type { Columns } from "../../model/columns.ts";
import type { TimeScale } from "../../model/timescale.ts";
import type { Theme } from "../theme.ts";

export type StripLook = {
  columns: Columns;
  beliefs: Beliefs;
  scale: TimeScale;
  theme: Theme;
  width: number;
  height: number;
  selected: number;
  hits: ReadonlySet<number> | undefined;
  isCompact: boolean;
};

/** Space at both ends, in pixels. */
export const PAD = 8;
const MAIN_HEIGHT = 14;
export const BRANCH_HEIGHT = 5;
export const stripTop = (look: StripLook): number => (look.isCompact ? 12 : 13);
export const mainHeight = (look: StripLook): number => (look.isCompact ? MAIN_HEIGHT - 1 : MAIN_HEIGHT);
export const stripX = ({ scale, width }: StripLook, i: number): number =>
  PAD + ((scale.position[i] ?? 0) / scale.end) * (width - 2 * PAD);

export const rowTop = (look: StripLook, row: number): number =>
  row === 0 ? stripTop(look) : stripTop(look) + mainHeight(look) + 5 + (row - 1) * (BRANCH_HEIGHT + 3);
