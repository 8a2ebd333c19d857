import { describe, expect, test } from "vitest";
import { runAtOnce } from "../../../kernel/steps.ts";
import { findCritiqueFault } from "../chain/critique-chain.ts";
import { createChainVerifier } from "../chain/hash-chain.ts";
import { renderCritiqueFile, sealPlainCritiques } from "./critique-file.ts";
import { critiquePath } from "./layout.ts";
import type { PlainThought } from "./plain-thought.ts";
import { rebuildSession } from "./rebuild-session.ts";
import { renderThoughtFile } from "./thought-file.ts";

const id = "0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f";
const place = { id, project: "shop", partitionPath: "2025-12" };
const modifiedAt = "2025-12-31T00:00:00.000Z";

type Fields = Record<string, unknown>;

function plain(path: string, fields: Fields) {
  const [name = "", branchId] = path.split("/").reverse();
  return {
    path,
    address: { branchId, thoughtNumber: Number.parseInt(name, 10) },
    text: JSON.stringify(fields),
  };
}

const rebuild = (files: ReturnType<typeof plain>[], manifest?: unknown) =>
  runAtOnce(
    rebuildSession({
      place,
      manifest: manifest === undefined ? undefined : JSON.stringify(manifest),
      files,
      modifiedAt,
    }),
  );

const at = (minute: number) => `2025-12-07T08:${String(minute).padStart(2, "0")}:00.000Z`;

function told(files: ReturnType<typeof plain>[]) {
  return rebuild(files).entries.map(({ data }) => `${data.branchId ?? ""}${data.thoughtNumber}`);
}

describe("a session of an earlier version", () => {
  test("is chained by time, with ascending numbers and branches after their fork", () => {
    const files = [
      plain("002.json", { thought: "two", thoughtNumber: 2, timestamp: at(9) }),
      plain("001.json", { thought: "one", thoughtNumber: 1, timestamp: at(5) }),
      plain("003.json", { thought: "three, by a clock that went back", thoughtNumber: 3, timestamp: at(1) }),
      plain("branches/alt/003.json", {
        thought: "alt",
        thoughtNumber: 3,
        branchFromThought: 2,
        timestamp: at(2),
      }),
      plain("branches/alt/004.json", {
        thought: "alt",
        thoughtNumber: 4,
        branchFromThought: 2,
        timestamp: at(20),
      }),
    ];
    expect(told(files)).toEqual(["1", "2", "3", "alt3", "alt4"]);
    const { entries } = rebuild(files);
    const verifier = createChainVerifier(id);
    expect(entries.every((entry) => verifier.check({ ...entry, seq: 0 }))).toBe(true);
    expect(entries.map(({ data }) => data.branchFromThought)).toEqual([
      undefined,
      undefined,
      undefined,
      2,
      undefined,
    ]);
  });

  test("becomes the same chain whatever the order of files", () => {
    const files = [plain("001.json", { thought: "one" }), plain("002.json", { thought: "two" })];
    expect(rebuild(files)).toEqual(rebuild([...files].reverse()));
  });

  test("takes missing values from a file's name, its folder and its neighbours", () => {
    const { entries, record } = rebuild([
      plain("7.json", { thought: "seven", timestamp: at(3) }),
      plain("8.json", { thought: "eight" }),
    ]);
    expect(entries.map(({ data }) => data)).toEqual([
      { thought: "seven", thoughtNumber: 7, totalThoughts: 7, nextThoughtNeeded: true, timestamp: at(3) },
      { thought: "eight", thoughtNumber: 8, totalThoughts: 8, nextThoughtNeeded: true, timestamp: at(3) },
    ]);
    expect(record.session).toMatchObject({
      createdAt: at(3),
      updatedAt: at(3),
      project: "shop",
      partitionPath: "2025-12",
    });
  });

  test("resolves revisions along the branch, then its ancestors", () => {
    const { entries } = rebuild([
      plain("001.json", { thought: "one" }),
      plain("002.json", { thought: "two", isRevision: true, revisesThought: 1 }),
      plain("branches/alt/003.json", {
        thought: "a",
        branchFromThought: 2,
        isRevision: true,
        revisesThought: 1,
      }),
      plain("branches/alt/004.json", { thought: "b", revisesThought: 3 }),
      plain("003.json", { thought: "no revision", isRevision: false, revisesThought: null }),
    ]);
    expect(entries.flatMap(({ data }) => (data.revises ? [[data.thought, data.revises]] : []))).toEqual([
      ["two", { thoughtNumber: 1 }],
      ["a", { thoughtNumber: 1 }],
      ["b", { branchId: "alt", thoughtNumber: 3 }],
    ]);
  });

  test("guesses an unknown fork point of a branch, and reports the guess", () => {
    const { entries, warnings } = rebuild([
      plain("001.json", { thought: "one" }),
      plain("002.json", { thought: "two" }),
      plain("alt/002.json", { thought: "from one" }),
      plain("late/001.json", { thought: "from the end" }),
    ]);
    const forks = entries.flatMap(({ data }) =>
      data.branchId ? [[data.branchId, data.branchFromThought]] : [],
    );
    expect(Object.fromEntries(forks)).toEqual({ alt: 1, late: 2 });
    expect(warnings.filter((line) => line.includes("has no fork point"))).toHaveLength(2);
  });

  test("keeps all branches even if they fork from each other in a cycle", () => {
    const circle = [
      plain("branches/a/002.json", { thought: "a", branchFromThought: 2, branchFromBranch: "b" }),
      plain("branches/b/002.json", { thought: "b", branchFromThought: 2, branchFromBranch: "a" }),
    ];
    expect(told(circle).sort()).toEqual(["a2", "b2"]);
  });

  test("is completed if its last main thought needs no other", () => {
    const { record } = rebuild([
      plain("001.json", { thought: "done", nextThoughtNeeded: false, timestamp: at(1) }),
    ]);
    expect(record.session).toMatchObject({ status: "completed", completedAt: at(1) });
  });

  test("reports dropped fields and files without a valid thought", () => {
    const { entries, badFiles, warnings } = rebuild([
      plain("001.json", { thought: "one", mood: "bright" }),
      plain("002.json", { text: "no thought" }),
      plain("003.json", { thought: "x".repeat(1024 * 1024 + 1) }),
      plain("004.json", { thought: "branch", branchId: "Not One" }),
      { ...plain("005.json", {}), text: "{" },
      plain("1.json", { thought: "one again" }),
    ]);
    expect(entries).toHaveLength(1);
    expect(badFiles.map(({ path }) => path).sort()).toEqual([
      "002.json",
      "003.json",
      "004.json",
      "005.json",
      "1.json",
    ]);
    expect(warnings).toContain("fields that the ledger does not store were dropped: mood");
  });

  test("keeps the critiques of its thoughts, but not a mere request for one", () => {
    const { critiques, entries } = rebuild([
      plain("001.json", { thought: "one", critique: { text: "meh", model: "m", timestamp: at(9) } }),
      plain("002.json", { thought: "two", critique: true }),
      plain("003.json", { thought: "three", critique: { text: "better" } }),
    ]);
    expect(critiques.map(({ text, model, thoughtHash }) => [text, model, thoughtHash])).toEqual([
      ["meh", "m", entries[0]?.hash],
      ["better", "unknown", entries[2]?.hash],
    ]);
    const chain = { length: 2, headHash: critiques.at(-1)?.hash ?? "", entries: critiques };
    expect(runAtOnce(findCritiqueFault(chain))).toBeUndefined();
  });

  test("has only the values of its manifest if it has no thoughts", () => {
    const { entries, record } = rebuild([], {
      id,
      metadata: { title: "Empty", tags: ["a"], createdAt: at(1), updatedAt: at(2) },
    });
    expect(entries).toEqual([]);
    expect(record.session).toMatchObject({
      title: "Empty",
      tags: ["a"],
      createdAt: at(1),
      updatedAt: at(2),
      status: "active",
    });
  });
});

const criticised: PlainThought = {
  address: { thoughtNumber: 1 },
  text: "",
  timestamp: undefined,
  totalThoughts: 1,
  nextThoughtNeeded: true,
  critique: { text: "weak", model: "m", timestamp: at(9) },
};

describe("a session of this version", () => {
  const { entries } = rebuild([
    plain("001.json", { thought: "one", timestamp: at(1) }),
    plain("002.json", { thought: "two", timestamp: at(2) }),
    plain("branches/alt/002.json", { thought: "alt", branchFromThought: 1, timestamp: at(3) }),
    plain("branches/alt/003.json", { thought: "alt on", timestamp: at(4) }),
  ]);
  const paths = ["001.json", "002.json", "branches/alt/002.json", "branches/alt/003.json"];
  const sealed = entries.map((entry, index) => ({
    ...plain(paths[index] ?? "", {}),
    text: renderThoughtFile(entry),
  }));

  test("is rebuilt with the same hashes, whatever the order of its files", () => {
    expect(rebuild([...sealed].reverse()).entries).toEqual(entries);
  });

  test("keeps the intact thoughts if a file is bad, and reports the gap", () => {
    const {
      entries: kept,
      badFiles,
      warnings,
    } = rebuild(
      sealed.map((file) =>
        file.path === "002.json" ? { ...file, text: file.text.replace("two", "2") } : file,
      ),
    );
    expect(kept.map(({ position }) => position)).toEqual([1, 3, 4]);
    expect(badFiles).toEqual([{ path: "002.json", problem: "was changed after it was recorded" }]);
    expect(warnings).toContain("position 2 is missing");
  });

  test("leaves out thoughts of a branch whose first thought is missing", () => {
    const { entries: kept, badFiles } = rebuild(
      sealed.filter(({ path }) => path !== "branches/alt/002.json"),
    );
    expect(kept.map(({ position }) => position)).toEqual([1, 2]);
    expect(badFiles.map(({ path }) => path)).toEqual(["branches/alt/003.json"]);
  });

  test("finds thoughts whose files were swapped", () => {
    const [one, two, ...rest] = sealed;
    if (!one || !two) throw new Error("no files");
    const swapped = [{ ...one, text: two.text }, { ...two, text: one.text }, ...rest];
    expect(rebuild(swapped).entries).toEqual(entries);
    expect(rebuild(swapped).warnings.filter((line) => line.includes(" contains "))).toHaveLength(2);
  });

  test("rejects a file without a seal", () => {
    const { entries: kept, badFiles } = rebuild([...sealed, plain("003.json", { thought: "slipped in" })]);
    expect(kept).toEqual(entries);
    expect(badFiles).toEqual([{ path: "003.json", problem: "is not part of the session's chain" }]);
  });

  test("keeps its critiques up to the first one that is missing", () => {
    const critiques = runAtOnce(
      sealPlainCritiques(
        entries,
        [1, 2].map((n) => ({ ...criticised, address: { thoughtNumber: n } })),
      ),
    );
    const found = critiques.map((critique) => ({
      ...plain(critiquePath(critique.position), {}),
      text: renderCritiqueFile(critique),
    }));
    expect(rebuild([...sealed, ...found]).critiques).toEqual(critiques);
    const gap = rebuild([...sealed, ...found.slice(1)]);
    expect({ critiques: gap.critiques, bad: gap.badFiles.map(({ path }) => path) }).toEqual({
      critiques: [],
      bad: ["critiques/002.json"],
    });
    const forged = found.map((file) => ({ ...file, text: file.text.replace("weak", "fine") }));
    expect(rebuild([...sealed, ...forged]).badFiles).toHaveLength(2);
  });

  test("reports that the newest thought is missing", () => {
    const head = entries.at(-1)?.hash;
    const manifest = { id, integrity: { checksum: head } };
    expect(rebuild(sealed, manifest).warnings).toEqual([]);
    expect(rebuild(sealed.slice(0, 3), manifest).warnings).toEqual([
      "the manifest names a different newest thought",
    ]);
    expect(rebuild(sealed, { ...manifest, id: "other" }).warnings).toEqual([
      "the manifest names another session",
    ]);
  });
});

describe("whether a session is completed", () => {
  const statusOf = (last: Fields, manifest: object) => {
    const { session } = rebuild([plain("001.json", last)], { session: manifest }).record;
    return [session.status, session.completedAt];
  };
  const first = { thought: "one", thoughtNumber: 1, totalThoughts: 1, timestamp: at(1) };

  test("follows the manifest even if the last thought did not end the session", () => {
    const manifest = { status: "completed", completedAt: at(9) };
    expect(statusOf({ ...first, nextThoughtNeeded: true }, manifest)).toEqual(["completed", at(9)]);
  });

  test("follows the last thought if the manifest is older", () => {
    expect(statusOf({ ...first, nextThoughtNeeded: false }, { status: "active" })).toEqual([
      "completed",
      at(1),
    ]);
  });

  test("follows a manifest that knows the last thought and reports the session as active", () => {
    const { entries } = rebuild([plain("001.json", { ...first, nextThoughtNeeded: false })]);
    const [entry] = entries;
    if (!entry) throw new Error("no thought was rebuilt");
    const file = { ...plain("001.json", {}), text: renderThoughtFile(entry) };
    const manifest = { session: { status: "active" }, integrity: { checksum: entry.hash } };
    expect(rebuild([file], manifest).record.session.status).toBe("active");
  });
});
