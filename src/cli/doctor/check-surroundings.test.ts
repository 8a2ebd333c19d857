import { expect, test } from "vitest";
import { checkSandbox } from "./check-surroundings.ts";

const noBubblewrap = { level: "strong", reason: "bubblewrap is not installed" } as const;

test("suggests the command that raises the sandbox level if it could be stronger", () => {
  const raise = "sudo apt install bubblewrap";
  expect(checkSandbox({ level: "medium", lacking: [noBubblewrap], raise })).toEqual({
    name: "sandbox",
    state: "look",
    says: "medium: notebook cells are less isolated than they could be (strong: bubblewrap is not installed)",
    next: raise,
  });
});

test("refers to the guide if no command would raise the level", () => {
  const next = expect.stringContaining("docs/guide/notebooks.md");
  expect(checkSandbox({ level: "basic", lacking: [], raise: undefined })).toMatchObject({
    state: "look",
    next,
  });
  const none = checkSandbox({ level: undefined, lacking: [noBubblewrap], raise: undefined });
  expect(none).toMatchObject({
    state: "look",
    says: expect.stringContaining("notebook cells cannot run here"),
    next,
  });
});

test("suggests nothing for the strongest sandbox", () => {
  const strong = checkSandbox({ level: "strong", lacking: [], raise: undefined });
  expect(strong).toMatchObject({ name: "sandbox", state: "good" });
  expect(strong).not.toHaveProperty("next");
});
