/** A folder or, with `path`, a file. `files` are the paths below it. */
export type TreeRow = { depth: number; name: string; path: string | undefined; files: readonly string[] };

/** Shows files as an outline, folders before files. Leaves out the path that all of them have in common. */
export function fileTree(paths: readonly string[]): TreeRow[] {
  const split = paths.map((path) => ({ path, parts: path.split("/") }));
  const [first] = split;
  if (!first) return [];
  let shared = 0;
  while (split.every(({ parts }) => parts.length > shared + 1 && parts[shared] === first.parts[shared]))
    shared += 1;
  return rowsOf(split, shared, 0);
}

type Split = { path: string; parts: readonly string[] };

function rowsOf(files: readonly Split[], at: number, depth: number): TreeRow[] {
  const folders = new Map<string, Split[]>();
  const here: TreeRow[] = [];
  for (const file of files) {
    const name = file.parts[at] ?? "";
    if (file.parts.length === at + 1) here.push({ depth, name, path: file.path, files: [file.path] });
    else folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  const below = [...folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inside]): TreeRow[] => [
      { depth, name, path: undefined, files: inside.map(({ path }) => path) },
      ...rowsOf(inside, at + 1, depth + 1),
    ]);
  return [...below, ...here.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
