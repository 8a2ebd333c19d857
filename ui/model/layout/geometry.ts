/** World units of the graph. At zoom 1, one unit is a CSS pixel. */
export type Geometry = {
  columns: number;
  cardWidth: number;
  cardHeight: number;
  /** Space between cards in a lane and between lanes, where lines are drawn. */
  gapX: number;
  gapY: number;
  /** Extra space between two bands. */
  gutter: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Height of a page without its margins: ten bands with one lane each. */
  pageRows: number;
  pitchX: number;
  pitchY: number;
  pageWidth: number;
  pageHeight: number;
  mostLanes: number;
};

export function geometryOf(columns = 10): Geometry {
  const given = { columns, cardWidth: 196, cardHeight: 112, gapX: 24, gapY: 22, gutter: 28, pageRows: 1570 };
  const margins = { left: 96, right: 96, top: 96, bottom: 84 };
  const pitchX = given.cardWidth + given.gapX;
  const pitchY = given.cardHeight + given.gapY;
  return {
    ...given,
    ...margins,
    pitchX,
    pitchY,
    pageWidth: margins.left + columns * pitchX - given.gapX + margins.right,
    pageHeight: margins.top + given.pageRows + margins.bottom,
    mostLanes: Math.floor((given.pageRows + given.gapY) / pitchY),
  };
}

const STEPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128];

/**
 * Returns the number of pages side by side. This number is chosen when a session is opened and does not
 * change as the session grows.
 */
export function pagesAcross(thoughts: number): number {
  const wanted = Math.sqrt(1.3 * Math.max(1, thoughts / 80));
  const distance = (step: number) => Math.abs(Math.log(step / wanted));
  return STEPS.reduce((best, step) => (distance(step) < distance(best) ? step : best), 1);
}
