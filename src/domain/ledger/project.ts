import { sha256Hex } from "../../kernel/sha256.ts";

const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** The scope of isolation when nobody chose one. */
export const defaultProject = "_default";

/** What a slug cannot hold and without which two names could become one: Müller and Möller, C++ and C#. */
const untranslatable = /[+#&@%$=^~<>|!?]|[^\p{ASCII}\p{White_Space}]/u;
const markLength = 10;

/**
 * Any name becomes a project name: other characters turn into dashes, so that it is safe as a folder. A name that
 * would lose more than spaces and brackets ends in a mark of its own, because projects that share a name share their
 * sessions.
 */
export function slugProject(name: string): string {
  const trimmed = name.trim();
  const mark = untranslatable.test(trimmed) ? sha256Hex(trimmed.normalize("NFC")).slice(0, markLength) : "";
  const slug = trimmed
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "")
    .slice(0, mark === "" ? 64 : 64 - markLength - 1)
    .replace(/[-.]+$/, "");
  const marked = mark === "" ? slug : `${slug || "project"}-${mark}`;
  return projectPattern.test(marked) ? marked : defaultProject;
}
