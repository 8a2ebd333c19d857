import { describe, expect, test } from "vitest";
import { mayTake } from "../../../src/domain/ledger/tree/writer-lease.ts";
import { openStore, storeNames } from "../../support/stores/stores.ts";

const [root, now, lastsMs] = ["/transcripts", 10_000, 1_000];
const claim = { holder: "me", now, lastsMs };

describe.each(storeNames)("claims of transcripts, in %s", (backend) => {
  test("a reader may claim a file under the same rule as any lease", async () => {
    const { captured } = openStore(backend);
    const granted: boolean[] = [];
    for (const holder of ["me", "other"])
      for (const until of [now - 1, now, now + 1, now + lastsMs, now + lastsMs + 1]) {
        const path = `${holder}-${until}.jsonl`;
        const earlier = { root, path, holder, now: until - lastsMs, lastsMs };
        expect(await captured.claim(earlier)).toBe(true);
        const mayClaim = await captured.claim({ root, path, ...claim });
        expect(mayClaim, path).toBe(mayTake({ holder, until }, claim));
        granted.push(mayClaim);
      }
    expect(granted).toEqual([true, true, true, true, true, true, true, false, false, true]);
  });

  test("a released file can be claimed at once, and a refused claim changes nothing", async () => {
    const { captured } = openStore(backend);
    const file = { root, path: "a.jsonl" };
    expect(await captured.claim({ ...file, ...claim, holder: "other" })).toBe(true);
    expect(await captured.claim({ ...file, ...claim })).toBe(false);
    await captured.release("me");
    expect(await captured.claim({ ...file, ...claim, now: now + lastsMs - 1 })).toBe(false);
    await captured.release("other");
    expect(await captured.claim({ ...file, ...claim })).toBe(true);
  });
});
