import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importTree } from "../../../src/storage/tree/import/import-tree.ts";
import { cutShort, flipBit, scribbleSector, zeroPage } from "../../support/disk/damage.ts";
import { startSession, think } from "../../support/ledger.ts";
import { gateSeed, times } from "../../support/run/soak.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { filesBelow, ledgerContents, openTree } from "../../support/views/tree.ts";

const rounds = times("tree damages", 15);

async function openForest() {
  const opened = openTree();
  const sessions: string[] = [];
  for (const project of ["_default", "shop"]) {
    const id = await startSession(opened.ledger, { project, title: `in ${project}` });
    for (let n = 1; n <= 6; n += 1) await think(opened.ledger, id, { thought: `${project} ${n}` });
    await think(opened.ledger, id, { thought: "else", branchId: "alt", branchFromThought: 2 });
    sessions.push(id);
  }
  await opened.tree.flush();
  return { ...opened, sessions };
}

const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const hashesBelow = (directory: string): Set<string> =>
  new Set(filesBelow(directory).map((name) => hashOf(join(directory, name))));

type Damage = (path: string, other: string, random: () => number) => void;
const damages: [string, Damage][] = [
  ["flipped bits", (path, _other, random) => flipBit(path, random)],
  ["zeros", (path, _other, random) => zeroPage(path, random)],
  ["noise", (path, _other, random) => scribbleSector(path, random)],
  ["a cut", (path, _other, random) => cutShort(path, random)],
  ["a deletion", (path) => rmSync(path)],
  [
    "a swap with any other file",
    (path, other) => {
      renameSync(path, `${path}-aside`);
      renameSync(other, path);
      renameSync(`${path}-aside`, other);
    },
  ],
];

test.each(damages)(
  "finds %s in the tree, repairs it from the store, and keeps the damaged files",
  async (_what, damage) => {
    const seed = gateSeed;
    const random = seededRandom(seed);
    const { tree, store, directory, sessions } = await openForest();
    const files = filesBelow(join(directory, "projects"));
    const [intact, stored] = [hashesBelow(join(directory, "projects")), await ledgerContents(store.ledger)];
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const pick = () => join(directory, "projects", files[Math.floor(random() * files.length)] ?? "");
      const [path, other] = [pick(), pick()];
      const before = new Map([path, other].map((name) => [name, hashOf(name)]));
      if (path !== other) damage(path, other, random);
      const harmed = hashesBelow(join(directory, "projects"));
      const changed = [path, other].some((name) => !sameFile(name, before.get(name)));
      const verdicts = await Promise.all(sessions.map((id) => tree.verify(id)));
      expect(
        verdicts.every(({ valid }) => valid),
        `seed ${seed}, round ${round}, ${path}`,
      ).toBe(!changed);
      if (changed) found += 1;
      expect((await tree.repair()).failed).toEqual([]);
      for (const id of sessions) expect(await tree.verify(id)).toMatchObject({ valid: true, errors: [] });
      const kept = hashesBelow(directory);
      expect(
        [...harmed].filter((hash) => !kept.has(hash)),
        `seed ${seed}: something was deleted`,
      ).toEqual([]);
    }
    expect(found).toBeGreaterThan(rounds / 3);
    expect(filesBelow(join(directory, "projects"))).toEqual(files);
    expect([...intact].filter((hash) => !hashesBelow(directory).has(hash)).length).toBeLessThanOrEqual(2);
    expect(await ledgerContents(store.ledger)).toEqual(stored);
  },
);

function sameFile(path: string, hash: string | undefined): boolean {
  try {
    return hashOf(path) === hash;
  } catch {
    return false;
  }
}

test("a store without its database starts empty, leaves the tree alone, and an import restores everything", async () => {
  const old = await openForest();
  const contents = await ledgerContents(old.store.ledger);
  await old.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(join(old.directory, `thoughtbox.db${end}`), { force: true });
  const files = hashesBelow(join(old.directory, "projects"));
  const { store, tree, ledger } = openTree({ directory: old.directory });
  const fresh = await startSession(ledger, { title: "after the loss" });
  await tree.flush();
  const kept = hashesBelow(join(old.directory, "projects"));
  expect([...files].filter((hash) => !kept.has(hash))).toEqual([]);
  expect(await importTree(store.imports, old.directory)).toMatchObject({ refused: [], badFiles: [] });
  const { [fresh]: _fresh, ...again } = await ledgerContents(store.ledger);
  expect(again).toEqual(contents);
});
