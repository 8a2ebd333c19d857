import { linkRelations, type Skeleton } from "../wire.ts";
import type { SessionColumns } from "./session-columns.ts";

/** The thoughts between two positions, both included, without their words. */
export function toSkeleton(columns: SessionColumns, from: number, to: number): Skeleton {
  const places = columns.slice(from, to);
  return {
    seq: places.map(({ seq }) => seq),
    thoughtNumber: places.map(({ thoughtNumber }) => thoughtNumber),
    chain: places.map(({ chain }) => chain),
    parent: places.map(({ parent }) => parent),
    revises: places.map(({ revises }) => revises),
    type: places.map(({ type }) => type).join(""),
    time: places.map(({ time }) => time),
    marks: places.map(({ marks }) => marks),
    links: places.flatMap(({ position, links }) =>
      links.flatMap(({ relation, to: target }) => [position, target, linkRelations.indexOf(relation)]),
    ),
    branches: columns.branchesBegun(from, to),
  };
}
