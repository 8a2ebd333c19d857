import { STATE } from "../../model/beliefs.ts";
import { MAIN } from "../../model/columns.ts";
import { TYPES } from "../../model/thought-types.ts";
import type { Surface } from "./polylines.ts";
import { drawAxis } from "./strip-axis.ts";
import { BRANCH_HEIGHT, mainHeight, PAD, rowTop, type StripLook, stripTop, stripX } from "./strip-look.ts";

/** Width of a column if there are more thoughts than pixels. */
const STACK = 4;
/** The order of types in a column from bottom to top, the most important type last. */
const STACK_ORDER = [..."EONAHQPCRX"].map((letter) => TYPES.indexOf(letter));

export function drawStrip(surface: Surface, look: StripLook): void {
  const { columns, width } = look;
  if (columns.size === 0) return;
  if (columns.size > width / STACK) drawStacks(surface, look);
  else drawTicks(surface, look);
  if (!look.isCompact) drawAxis(surface, look);
  drawHits(surface, look);
  drawSelected(surface, look);
  drawPlayhead(surface, look);
}

function drawTicks(surface: Surface, look: StripLook): void {
  const { columns, beliefs, scale, theme, width, hits } = look;
  const tick = Math.max(1.5, Math.min(4, ((width - 2 * PAD) / columns.size) * 0.5));
  surface.fillStyle = theme.line;
  for (const [c, { thoughts }] of columns.chains.entries()) {
    const [first, last] = [thoughts[0], thoughts.at(-1)];
    if (first === undefined || last === undefined) continue;
    const height = c === MAIN ? mainHeight(look) : BRANCH_HEIGHT;
    const from = stripX(look, first);
    const y = rowTop(look, scale.rowOf(c)) + height / 2 - 0.5;
    surface.fillRect(from, y, Math.max(2, stripX(look, last) - from), 1);
  }
  for (let i = 0; i < columns.size; i++) {
    const c = columns.chain[i] as number;
    const type = columns.type[i] as number;
    const state = beliefs.state[i];
    surface.fillStyle =
      (state === STATE.later
        ? theme.lineStrong
        : state === STATE.believed
          ? theme.type[type]
          : theme.faint[type]) ?? theme.text3;
    surface.globalAlpha = hits && !hits.has(i) ? 0.25 : 1;
    surface.beginPath();
    const height = c === MAIN ? mainHeight(look) : BRANCH_HEIGHT;
    surface.roundRect(
      stripX(look, i) - tick / 2,
      rowTop(look, scale.rowOf(c)),
      tick,
      height,
      Math.min(1.5, tick / 2),
    );
    surface.fill();
  }
  surface.globalAlpha = 1;
}

/** Draws each column as a stack of its types, and branches as spans below. */
function drawStacks(surface: Surface, look: StripLook): void {
  const { columns, beliefs, scale, theme, width } = look;
  const count = Math.max(1, Math.floor((width - 2 * PAD) / STACK));
  const kinds = TYPES.length;
  const mixes = new Float32Array(count * kinds);
  for (let i = 0; i < columns.size; i++) {
    const at =
      Math.min(count - 1, Math.floor((stripX(look, i) - PAD) / STACK)) * kinds + (columns.type[i] as number);
    mixes[at] = (mixes[at] as number) + 1;
  }
  const until = beliefs.moment < columns.size - 1 ? stripX(look, Math.max(0, beliefs.moment)) : width;
  const height = mainHeight(look);
  for (let k = 0; k < count; k++) {
    const own = mixes.subarray(k * kinds, (k + 1) * kinds);
    const sum = own.reduce((all, part) => all + part, 0);
    if (sum === 0) continue;
    let y = stripTop(look) + height;
    for (const type of STACK_ORDER) {
      const part = ((own[type] as number) / sum) * height;
      if (part === 0) continue;
      surface.fillStyle = (PAD + k * STACK > until ? theme.lineStrong : theme.grain[type]) ?? theme.text3;
      surface.fillRect(PAD + k * STACK, y - part, STACK - 0.8, part);
      y -= part;
    }
  }
  for (const [c, { thoughts }] of columns.chains.entries()) {
    const [first, last] = [thoughts[0], thoughts.at(-1)];
    if (c === MAIN || first === undefined || last === undefined) continue;
    const from = stripX(look, first);
    surface.fillStyle = beliefs.deadChain[c] === 1 || first > beliefs.moment ? theme.lineStrong : theme.edge;
    const wide = Math.max(1.5, stripX(look, last) - from);
    surface.fillRect(from, rowTop(look, scale.rowOf(c)) + 1, wide, BRANCH_HEIGHT - 2);
  }
}

/** Draws ticks above the line for search hits. */
function drawHits(surface: Surface, look: StripLook): void {
  if (!look.hits) return;
  surface.fillStyle = look.theme.hit;
  for (const i of look.hits) surface.fillRect(stripX(look, i) - 0.75, stripTop(look) - 5, 1.5, 3);
}

function drawSelected(surface: Surface, look: StripLook): void {
  const { selected, columns, scale, theme } = look;
  if (selected < 0 || selected >= columns.size) return;
  const x = stripX(look, selected);
  const y = rowTop(look, scale.rowOf(columns.chain[selected] as number)) - 3;
  surface.fillStyle = theme.you;
  surface.beginPath();
  surface.moveTo(x, y);
  surface.lineTo(x - 3.5, y - 5);
  surface.lineTo(x + 3.5, y - 5);
  surface.fill();
}

function drawPlayhead(surface: Surface, look: StripLook): void {
  const { columns, beliefs, theme, width, height, isCompact } = look;
  const last = columns.size - 1;
  const x = stripX(look, Math.max(0, Math.min(beliefs.moment, last)));
  if (beliefs.moment < last) {
    surface.fillStyle = theme.panel;
    surface.globalAlpha = 0.55;
    surface.fillRect(x + 2, 2, width - x, height - (isCompact ? 4 : 18));
    surface.globalAlpha = 1;
  }
  surface.fillStyle = theme.you;
  surface.fillRect(x + 2.25, 4, 1.5, height - (isCompact ? 8 : 24));
  surface.beginPath();
  surface.roundRect(x - 0.5, 2, 7, 9, 2);
  surface.fill();
}
