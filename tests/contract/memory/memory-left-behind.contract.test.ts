import { describe, expect, test } from "vitest";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const doc = "graph";

const write = (branch: string, title: string): MemoryStep => ({
  do: "apply_graph",
  branch,
  doc,
  ops: [{ op: "node_upsert", id: "n", type: "fact", title }],
});
const make = (name: string, from: string): MemoryStep => ({ do: "create_branch", name, from });

describe.each(storeNames)("the inherited version of a branch, on %s", (backend) => {
  function open() {
    const { memory } = openStore(backend);
    return {
      commit: (steps: MemoryStep[]) => memory.commit(workspace, steps, { at }),
      async heldDifferently(from: string, to: string) {
        const { changes } = await memory.diffGraph(workspace, { from, to, doc, limit: 10 });
        return changes.map((change) => ("title" in change ? change.title : undefined));
      },
      count: async (branch: string) => (await memory.checkGraph(workspace, { branch, doc }, 1)).nodes,
    };
  }

  test("is found behind versions that a deleted branch hides", async () => {
    const { commit, heldDifferently } = open();
    await commit([write("main", "first"), make("early", "main")]);
    await commit([write("main", "second"), make("late", "main")]);
    await commit([write("main", "third"), write("main", "fourth")]);
    expect(await heldDifferently("main", "early")).toEqual(["first"]);
    expect(await heldDifferently("main", "late")).toEqual(["second"]);
    await commit([{ do: "delete_branch", name: "late" }]);
    expect(await heldDifferently("main", "early")).toEqual(["first"]);
    expect(await heldDifferently("early", "main")).toEqual(["fourth"]);
  });

  test("is found if both sides are nested and the base has changed", async () => {
    const { commit, heldDifferently, count } = open();
    await commit([write("main", "first"), make("a", "main"), make("b", "a"), make("c", "main")]);
    await commit([write("a", "not seen by b"), write("b", "own"), write("main", "later")]);
    expect(await heldDifferently("b", "c")).toEqual(["first"]);
    expect(await heldDifferently("a", "b")).toEqual(["own"]);
    expect(await heldDifferently("main", "c")).toEqual(["first"]);
    expect(await Promise.all(["main", "a", "b", "c"].map(count))).toEqual([1, 1, 1, 1]);
  });
});
