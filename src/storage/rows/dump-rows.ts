import { describeTable, dumpTables } from "../../domain/memory/dump-tables.ts";
import type { RowSource } from "../../ports/memory/memory-dump.ts";

/** How a database spells the shared parts of the dump queries. */
export type DumpDialect = {
  /** A join that keeps the order of the loops, so that the table is walked only once. */
  join: string;
  /** The nth parameter, starting at 1. */
  parameter(n: number): string;
  /** Returns a condition: the column's number is in the list that is the nth parameter. */
  isAmong(column: string, n: number): string;
  /** A condition: the graph version `v` is published. */
  isPublished: string;
  /** The hint that makes a query on `graph_versions p` use the index by key, if the engine needs one. */
  byKey: string;
};

export type DumpQuery = {
  /** The query's parameters are one value per key, the workspaces, and the maximum number of rows. */
  text: string;
  keys: readonly string[];
};

const named = "b.uid AS branch_uid, d.name AS doc_name, w.name AS workspace";
const lastEntry = `(SELECT max((SELECT max(e.seq) FROM memory_entries e WHERE e.doc = s.doc AND e.bid = s.bid))
  FROM memory_branches l JOIN memory_streams s ON s.bid = l.bid AND s.form = 'log'
  WHERE l.wid = w.wid AND l.deleted_at_ms IS NULL)`;

export function dumpQuery(source: RowSource, dialect: DumpDialect): DumpQuery {
  const { select, from, keys, except } = partsOf(source, dialect);
  const [first, ...others] = keys.map((_, n) => dialect.parameter(n + 1));
  const columns = keys.map((key) => `t.${key}`);
  const behind =
    others.length === 0
      ? `${columns[0]} > ${first}`
      : `(${columns.join(", ")}) > (${[first, ...others].join(", ")})`;
  const wanted = dialect.isAmong("w.wid", keys.length + 1);
  return {
    keys,
    text: `SELECT t.*, ${select} FROM ${from} WHERE ${behind} AND ${wanted} ${except ? `AND ${except}` : ""}
      ORDER BY ${columns.join(", ")} LIMIT ${dialect.parameter(keys.length + 2)}`,
  };
}

type Parts = { select: string; from: string; keys: readonly string[]; except?: string | undefined };

function partsOf(source: RowSource, { join, isPublished, byKey }: DumpDialect): Parts {
  const ofStream = `${join} memory_branches b ON b.bid = t.bid ${join} memory_docs d ON d.doc = t.doc
    ${join} memory_workspaces w ON w.wid = b.wid`;
  switch (source) {
    case "workspace":
      return {
        select: `c.uid AS checkout_uid, ${lastEntry} AS last_entry`,
        from: `memory_workspaces t JOIN memory_workspaces w ON w.wid = t.wid
          LEFT JOIN memory_branches c ON c.bid = t.checkout`,
        keys: ["wid"],
      };
    case "branch":
      return {
        select: "base.uid AS base_uid, w.name AS workspace",
        from: `memory_branches t JOIN memory_workspaces w ON w.wid = t.wid
          LEFT JOIN memory_branches base ON base.bid = t.base`,
        keys: ["base_seq", "bid"],
      };
    case "entry":
      return {
        select: `${named}, c.seq AS committed, c.parent`,
        from: `memory_entries t ${ofStream} LEFT JOIN memory_commits c ON c.seq = t.seq`,
        keys: ["seq"],
      };
    case "version":
      return {
        select: `${named}, (SELECT count(*) FROM graph_versions p ${byKey} WHERE p.doc = t.doc AND p.key = t.key
          AND p.visible = 1 AND p.bid = t.bid AND p.superseded = t.seq) AS keeps`,
        from: `graph_versions t ${ofStream}`,
        keys: ["seq"],
        except: isPublished,
      };
    default: {
      const { table, keys, of, fields, except } = describeTable(source);
      const joins = {
        stream: ofStream,
        branch: `${join} memory_branches b ON b.bid = t.bid ${join} memory_workspaces w ON w.wid = b.wid`,
        workspace: `${join} memory_workspaces w ON w.wid = t.wid`,
      }[of];
      const named = Object.entries(fields).flatMap(([field, { kind, column = field, schema }]) => {
        if (kind === "branch")
          return {
            join: `${schema.safeParse(undefined).success ? "LEFT JOIN" : join} memory_branches ${field}_b ON ${field}_b.bid = t.${column}`,
            select: `${field}_b.uid AS ${field}_name`,
          };
        if (kind === "doc")
          return {
            join: `${join} memory_docs ${field}_d ON ${field}_d.doc = t.${column}`,
            select: `${field}_d.name AS ${field}_name`,
          };
        return [];
      });
      return {
        select: [
          of === "stream"
            ? "b.uid AS branch_uid, d.name AS doc_name, w.name AS workspace"
            : "w.name AS workspace",
          ...named.map(({ select }) => select),
        ].join(", "),
        from: [`${table} t`, joins, ...named.map((one) => one.join)].join(" "),
        keys,
        except: except && `t.${except.column} <> '${except.value}'`,
      };
    }
  }
}

/**
 * Returns statements that erase a workspace by its number. Run them in this order, so that no row refers to a
 * missing one. Run them again if one of them erased as many rows as its limit allows.
 */
export function discardStatements(workspace: string, rowsAtOnce: number): string[] {
  const ofBranches = `bid IN (SELECT bid FROM memory_branches WHERE wid = ${workspace})`;
  const ofDocs = `doc IN (SELECT doc FROM memory_docs WHERE wid = ${workspace})`;
  const inPieces = (table: string, rows: string) =>
    `DELETE FROM ${table} WHERE seq IN (${rows} LIMIT ${rowsAtOnce})`;
  return [
    ...Object.values(dumpTables).map(
      ({ table, of }) =>
        `DELETE FROM ${table} WHERE ${of === "workspace" ? `wid = ${workspace}` : ofBranches}`,
    ),
    ...["graph_facets", "memory_streams"].map((table) => `DELETE FROM ${table} WHERE ${ofBranches}`),
    inPieces(
      "memory_commits",
      `SELECT c.seq FROM memory_commits c JOIN memory_entries e ON e.seq = c.seq WHERE e.${ofDocs}`,
    ),
    inPieces("memory_entries", `SELECT seq FROM memory_entries WHERE ${ofDocs}`),
    inPieces("graph_versions", `SELECT seq FROM graph_versions WHERE ${ofDocs}`),
    ...["memory_branches", "memory_docs", "memory_workspaces"].map(
      (table) => `DELETE FROM ${table} WHERE wid = ${workspace}`,
    ),
  ];
}
