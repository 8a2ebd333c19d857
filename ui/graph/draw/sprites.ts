import { TYPES } from "../../model/thought-types.ts";
import { SHADE } from "../scene.ts";
import type { Theme } from "../theme.ts";
import { TIER, type Tier } from "../tiers.ts";

/** Room around the shape, in CSS pixels. */
export const SPRITE_PAD = 7;
/** An extra shade for the first cell of a folded branch. */
export const FOLDED = 4;

export type Sprites = {
  /** Returns the picture for thoughts of this type and shade. */
  get(type: number, shade: number): ImageBitmap;
  /**
   * Sets the size of the pictures. While the size changes from frame to frame, pictures of nearly that size
   * are kept. Returns the factor to scale the pictures by, which is 1 if they are exact.
   */
  resize(theme: Theme, tier: Tier, width: number, height: number, density: number): number;
};

/** Until the zoom stops, a picture is reused if its size differs by at most this share. */
const NEARBY = 0.12;

/** Beads and tiles are copied from small pictures, one for each type and shade at this zoom. */
export function createSprites(): Sprites {
  let pictures: (ImageBitmap | undefined)[] = [];
  let wanted = 0;
  let at: { theme: Theme; tier: Tier; width: number; height: number; density: number } | undefined;

  return {
    resize(theme, tier, width, height, density) {
      const isSameKind = at?.theme === theme && at.tier === tier && at.density === density;
      const isResting = wanted === width;
      wanted = width;
      const scale = at ? width / at.width : 1;
      if (isSameKind && (scale === 1 || (!isResting && Math.abs(scale - 1) < NEARBY))) return scale;
      for (const picture of pictures) picture?.close();
      pictures = [];
      at = { theme, tier, width, height, density };
      return 1;
    },
    get(type, shade) {
      if (!at) throw new Error("sprites have no size yet");
      const key = type * 8 + shade;
      const known = pictures[key];
      if (known) return known;
      const made = paint(at.theme, at.tier, type, shade, at.width, at.height, at.density);
      pictures[key] = made;
      return made;
    },
  };
}

function paint(
  theme: Theme,
  tier: Tier,
  type: number,
  shade: number,
  width: number,
  height: number,
  density: number,
): ImageBitmap {
  const canvas = new OffscreenCanvas(
    Math.ceil((width + 2 * SPRITE_PAD) * density),
    Math.ceil((height + 2 * SPRITE_PAD) * density),
  );
  const surface = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  surface.scale(density, density);
  surface.translate(SPRITE_PAD, SPRITE_PAD);
  const outline = (shift: number): void => {
    surface.beginPath();
    surface.roundRect(0.5 + shift, 0.5 + shift, width - 1, height - 1, Math.min(5, height * 0.18));
  };
  if (shade === FOLDED) {
    const step = Math.min(3, height * 0.08);
    for (const k of [2, 1, 0]) {
      outline((k - 1) * step);
      surface.fillStyle = theme.panel;
      surface.fill();
      surface.strokeStyle = k === 0 ? theme.control : theme.lineStrong;
      surface.stroke();
    }
    return canvas.transferToImageBitmap();
  }
  outline(0);
  const isStrong = shade === SHADE.strong;
  const isFaint = shade === SHADE.faint;
  if (shade === SHADE.later) {
    surface.strokeStyle = theme.line;
    surface.stroke();
    return canvas.transferToImageBitmap();
  }
  surface.fillStyle = (isFaint ? theme.panel : isStrong ? theme.type[type] : theme.fill[type]) ?? theme.card;
  surface.fill();
  if (!isStrong) {
    surface.strokeStyle = (isFaint ? theme.lineStrong : theme.rim[type]) ?? theme.lineStrong;
    surface.stroke();
  }
  if (height >= 9) {
    const size = tier === TIER.bead ? height * 0.62 : height * 0.36;
    surface.textAlign = "center";
    surface.textBaseline = "middle";
    surface.fillStyle =
      (isStrong ? theme.ink[type] : isFaint ? theme.text3 : theme.letter[type]) ?? theme.text;
    surface.font = `700 ${Math.round(Math.min(15, size))}px ${theme.mono}`;
    surface.fillText(TYPES[type] ?? "", tier === TIER.bead ? width / 2 : width * 0.3, height / 2 + 0.5);
  }
  return canvas.transferToImageBitmap();
}
