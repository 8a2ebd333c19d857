import { sha256Hex } from "../../kernel/sha256.ts";

const longest = 64;
const markLength = 10;

/** Letters and digits that a slug cannot hold, and without which two titles could become one. */
const untranslatable = /(?![\p{Script=Latin}0-9])[\p{L}\p{N}\p{So}]/u;

/**
 * A title as an id: lower case, dashes, at most 64 characters; "untitled" when nothing is left. A title in another
 * script ends in a mark of its own: two topics must not write over each other.
 */
export function slugify(title: string): string {
  const mark = untranslatable.test(title) ? sha256Hex(normal(title)).slice(0, markLength) : "";
  const slug = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, mark === "" ? longest : longest - markLength - 1)
    .replace(/-+$/, "");
  if (mark !== "") return `${slug || "note"}-${mark}`;
  return slug === "" ? "untitled" : slug;
}

const normal = (title: string): string => title.normalize("NFKC").toLowerCase().trim();
