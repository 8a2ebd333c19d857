import type { FileAnswer } from "../../../src/observatory/wire-files.ts";
import type { Get } from "../http.ts";

type Edit = { session: string; thought: { branch: string | undefined; number: number } | undefined };

/** The lines of a file that an edit wrote and that still exist. `line` is undefined if there are none, or none is known. */
export async function findWrittenLines(
  get: Get,
  file: string,
  { session, thought }: Edit,
): Promise<{ line: number | undefined; to?: number }> {
  const fetched = await get<FileAnswer>("/api/why", { file, text: "false" });
  if (!("answer" in fetched) || !thought) return { line: undefined };
  const { runs, writers } = fetched.answer;
  const id = [session, ...(thought.branch === undefined ? [] : [thought.branch]), thought.number].join(":");
  const own = new Set(writers.flatMap((writer) => (writer.thought === id ? [writer.n] : [])));
  const first = runs.find(({ writer }) => writer !== undefined && own.has(writer));
  return first ? { line: first.from, ...(first.to > first.from && { to: first.to }) } : { line: undefined };
}
