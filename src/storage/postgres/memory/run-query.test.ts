import { describe, expect, test } from "vitest";
import { spell } from "./run-query.ts";

describe("a shared statement is limited to one tenant", () => {
  test.each([
    ["SELECT a FROM {graph_nodes} n WHERE a = ?", "SELECT a FROM {graph_nodes} n WHERE a = ?"],
    [
      "INSERT INTO graph_nodes (a, b) VALUES (?, ?)",
      "INSERT INTO graph_nodes (tenant, a, b) VALUES (@tenant, ?, ?)",
    ],
    [
      "INSERT INTO graph_nodes (a) SELECT o.a FROM {graph_nodes} o",
      "INSERT INTO graph_nodes (tenant, a) SELECT @tenant, o.a FROM {graph_nodes} o",
    ],
    ["DELETE FROM graph_nodes WHERE a = ?", "DELETE FROM graph_nodes WHERE tenant = @tenant AND a = ?"],
    [
      "UPDATE graph_nodes SET a = LARGER(a, ?) WHERE b IN (SELECT b FROM {graph_nodes} o WHERE c = 1 OR c = 2)",
      "UPDATE graph_nodes SET a = greatest(a, ?) WHERE tenant = @tenant AND b IN (SELECT b FROM {graph_nodes} o WHERE c = 1 OR c = 2)",
    ],
  ])("%s", (text, found) => {
    expect(spell(text)).toBe(found);
  });

  test.each([
    "UPDATE graph_nodes SET a = (SELECT b FROM {graph_nodes} o WHERE c = ?) WHERE d = ?",
    "UPDATE graph_nodes SET a = 'x WHERE y' WHERE b = ?",
    "UPDATE graph_nodes SET a = 1",
    "UPDATE graph_nodes SET a = 1\nWHERE b = ?",
    "UPDATE graph_nodes g SET a = 1 WHERE b = ?",
    "UPDATE graph_nodes SET a = 1 WHERE b = ? OR c = ?",
    "UPDATE graph_nodes SET a = o.a FROM graph_edges o WHERE b = ?",
    "DELETE FROM graph_nodes",
    "DELETE FROM graph_nodes AS g WHERE a = ?",
    "DELETE FROM graph_nodes WHERE a IN (SELECT a FROM memory_docs)",
    "INSERT INTO graph_nodes SELECT a FROM {graph_nodes} o",
    "INSERT INTO graph_nodes (a) SELECT a FROM graph_nodes",
    "WITH gone AS (DELETE FROM graph_nodes WHERE a = ? RETURNING b) SELECT b FROM gone",
    "SELECT a FROM graph_nodes n JOIN {memory_docs} d ON d.doc = n.doc",
  ])("or refused, if its form cannot be limited: %s", (text) => {
    expect(() => spell(text)).toThrow(/not limited to one tenant/);
  });
});
