import type { FileAnswer } from "../../../src/observatory/wire-files.ts";
import type { Get } from "../http.ts";

type Edit = { session: string; thought: { branch: string | undefined; number: number } | undefined };

type Place = { path: string; line: number | undefined; to?: number };

/**
 * Finds the lines that an edit wrote and that still exist, and the file's path in the repository. `line` is undefined
 * if no line is known.
 */
export async function findWrittenLines(get: Get, file: string, { session, thought }: Edit): Promise<Place> {
  const fetched = await get<FileAnswer>("/api/why", { file, text: "false" });
  if (!("answer" in fetched)) return { path: file, line: undefined };
  const { file: path, runs, writers } = fetched.answer;
  if (!thought) return { path, line: undefined };
  const id = [session, ...(thought.branch === undefined ? [] : [thought.branch]), thought.number].join(":");
  const own = new Set(writers.flatMap((writer) => (writer.thought === id ? [writer.n] : [])));
  const first = runs.find(({ writer }) => writer !== undefined && own.has(writer));
  return { path, line: first?.from, ...(first && first.to > first.from && { to: first.to }) };
}
