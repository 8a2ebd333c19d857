import { expect, test } from "vitest";
import type { Session } from "../../state/thought.ts";
import { placeCards } from "./agents-now.tsx";

const working = (ids: string) => [...ids].map((id) => ({ id }) as Session);
const placed = (shown: string, ids: string) =>
  placeCards([...shown], working(ids))
    .map(({ id }) => id)
    .join("");

test.each([
  ["", "ab", "ab", "the first visit keeps the given order"],
  ["ab", "ba", "ab", "cards keep their places"],
  ["ab", "bac", "abc", "a new agent takes the free place"],
  ["abc", "cba", "abc", "all three stay"],
  ["abc", "dcba", "ab", "with a fourth agent, the third place counts the rest"],
  ["ab", "dcb", "dbc", "the next agent takes the place of one that stopped"],
  ["ab", "", "", "no agent is left"],
])("after %j, shows the agents %j as %j: %s", (shown, ids, cards) => {
  expect(placed(shown, ids)).toBe(cards);
});
