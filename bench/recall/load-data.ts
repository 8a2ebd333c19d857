import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isLoose } from "./dialogue.ts";
import { isLocomo, isRealtalk, loadLocomo, loadRealtalk } from "./load-dialogues.ts";
import type { Conversation, RecallSet } from "./recall-set.ts";

/** The format that `from-git.mjs` writes. */
export const commitsFormat = "thoughtbox-recall/1";

/** Loads a file, or all JSON files in a folder as one set. Refuses unknown formats. */
export function loadData(path: string): RecallSet {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const conversations = files.flatMap(loadFile);
  if (conversations.every(({ questions }) => questions.length === 0))
    throw new Error(
      `${path} holds no question whose answer is known; bench/README.md says which files are understood`,
    );
  return { name: basename(path), conversations };
}

function loadFile(file: string): Conversation[] {
  const data: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (isLocomo(data)) return loadLocomo(data);
  if (isLoose(data) && data["format"] === commitsFormat) return [data as unknown as Conversation];
  if (isRealtalk(data)) return [loadRealtalk(data, basename(file, ".json"))];
  throw new Error(`${file} is neither LoCoMo nor REALTALK nor a set made by from-git.mjs`);
}
