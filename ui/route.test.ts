import { expect, test } from "vitest";
import { formatRoute, isNewPlace, parseRoute, type Route, sessionRoute } from "./route.ts";
import { homeRoute, memoryRoute, sessionsRoute } from "./route-lists.ts";

const routes: Route[] = [
  homeRoute(),
  homeRoute({ since: "7d", project: "a/b", show: "givenUp" }),
  homeRoute({ since: "90d", show: "concluded,givenUp" }),
  homeRoute({ since: "2026-11-02" }),
  sessionsRoute(),
  sessionsRoute({ search: "a b&c" }),
  sessionsRoute({
    project: ["a,b", "c"],
    state: ["open"],
    from: "2026-11-02",
    sort: "took",
    isReversed: true,
  }),
  { view: "first" },
  { view: "files", path: "src/pool.ts", line: 14 },
  { view: "files", path: "src/a b/@x/[id].ts", line: 14, to: 21 },
  { view: "files", path: "/home/ada/shop/pool.ts", line: undefined },
  { view: "files", path: "changes/1..2.md", line: undefined },
  { view: "files", path: "src/pool.ts", line: 3, at: "b41e09c" },
  { view: "files", path: undefined, line: undefined, changes: "main...HEAD~1" },
  { view: "files", path: "src/pool.ts", line: undefined, changes: "feature/a...HEAD" },
  { view: "files", path: undefined, line: undefined, changes: "" },
  { view: "notebooks", notebook: "abc", cell: "recall.ts" },
  { view: "notebooks", notebook: "abc", cell: "recall.ts", version: 3, run: 1_794_999_777_533 },
  memoryRoute({ workspace: "shop/payments", item: "CARD-33", as: "cards", plan: "PLAN-001" }),
  { view: "compare", session: "s", other: undefined, left: "main", right: "a..b" },
  { view: "compare", session: "s", other: "t/1", left: "main", right: "a..b" },
  { view: "compare", session: "s", other: "t", left: undefined, right: undefined },
  sessionRoute("s/1", {
    thought: { branch: "x y", number: 26 },
    moment: 3,
    search: "lease?",
    folded: ["a,b", "c"],
    as: "outline",
  }),
  sessionRoute("s", { thought: { branch: undefined, number: 7 } }),
];

test.each(routes.map((route) => [formatRoute(route), route] as const))(
  "the address %s parses back to its route",
  (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  },
);

test("accepts an agent's title in an address, and leaves out a date that does not exist", () => {
  expect(parseRoute("#/sessions?agent=Codex,you&from=2026-13-45&to=2026-02-30")).toEqual(
    sessionsRoute({ agent: ["codex", "user"] }),
  );
  expect(parseRoute("#/?since=2026-13-45")).toEqual(homeRoute());
});

test("an invalid address leads home", () => {
  for (const hash of ["", "#", "#/%E0%A4%A", "#/s", "#/nowhere/1"])
    expect(parseRoute(hash).view).toBe("home");
});

test("accepts the path of a file as one encoded part", () => {
  expect(parseRoute("#/f/src%2Fpool%2Ets?l=3")).toEqual(parseRoute("#/f/src/pool.ts?l=3"));
});

test("old search addresses of the first page still work", () => {
  expect(parseRoute("#/?q=vacuum")).toEqual(sessionsRoute({ search: "vacuum" }));
});

test("another session is a new place, another thought in it is not", () => {
  expect(isNewPlace(sessionRoute("a"), sessionRoute("b"))).toBe(true);
  expect(isNewPlace(sessionRoute("a"), sessionRoute("a", { moment: 4 }))).toBe(false);
  expect(isNewPlace(sessionRoute("a"), sessionsRoute())).toBe(true);
});
