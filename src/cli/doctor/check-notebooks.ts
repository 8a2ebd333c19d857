import { count } from "../../kernel/numbers.ts";
import type { NotebookInspection } from "../../ports/notebook/notebook-archive.ts";
import { type Check, good } from "./check.ts";

const name = "notebooks";

export function checkNotebooks(
  { notebooks, inTrash, problems }: NotebookInspection,
  differences: readonly string[],
): Check {
  const [first, ...others] = problems;
  if (first !== undefined)
    return {
      name,
      state: "bad",
      says: first + andMore(others.length),
      next: "Keep a copy of the data directory, then restore a backup.",
    };
  const [file, ...files] = differences;
  if (file !== undefined)
    return {
      name,
      state: "bad",
      says: file + andMore(files.length),
      next: "thoughtbox doctor --repair writes the file again from the store and sets the changed one aside.",
    };
  if (notebooks + inTrash === 0) return { name, state: "none", says: "no notebook yet" };
  const trash = inTrash > 0 ? `, ${inTrash} in the trash` : "";
  return good(name, `${count(notebooks, "notebook")}${trash}; cells and files fit together`);
}

const andMore = (others: number): string => (others > 0 ? ` and ${count(others, "more finding")}` : "");
