import { linkRelations, type SessionStory, type Skeleton, type StoryLine, wire } from "../wire.ts";
import type { SessionColumns, ThoughtPlace } from "./session-columns.ts";

/** Returns `undefined` for a session without thoughts. */
export function toStory(columns: SessionColumns): SessionStory | undefined {
  const [first, last] = [columns.at(1), columns.at(columns.size)];
  if (!first || !last) return undefined;
  const stands = standing(columns);
  return {
    firstAt: new Date(first.time).toISOString(),
    lastAt: new Date(last.time).toISOString(),
    began: toLine(columns, first),
    ...(stands && { stands: toLine(columns, stands) }),
    last: {
      ...toLine(columns, last),
      text: columns.newest,
      ...(last.type === "N" && { ending: columns.ending }),
    },
    fingerprint: toFingerprint(columns),
    agents: [...columns.agents],
  };
}

/**
 * Finds the newest conclusion that nothing replaces, rejects or contradicts. Conclusions on the main line
 * take precedence.
 */
function standing(columns: SessionColumns): ThoughtPlace | undefined {
  const conclusions = [...columns.told()]
    .flatMap((position) => columns.at(position) ?? [])
    .filter(({ type, position, chain }) => {
      return type === "C" && columns.standingOf(position) === "stands" && !columns.isDeadEnd(chain);
    });
  return conclusions.findLast(({ chain }) => chain === 0) ?? conclusions.at(-1);
}

const toLine = (columns: SessionColumns, place: ThoughtPlace): StoryLine => ({
  ...nameOf(columns, place),
  text: columns.lineAt(place.position),
});

/** Returns a thought's type, number and branch, without its text. */
export function nameOf(
  columns: SessionColumns,
  { type, thoughtNumber, chain }: ThoughtPlace,
): Omit<StoryLine, "text"> {
  const { id } = columns.chain(chain);
  return { type, thoughtNumber, ...(id !== undefined && { branchId: id }) };
}

/** Returns one letter per thought. In a long session, returns one letter for every n-th thought. */
function toFingerprint(columns: SessionColumns): string {
  const letters = Math.min(columns.size, wire.fingerprintLetters);
  return Array.from({ length: letters }, (_, n) => {
    const place = columns.at(1 + Math.floor((n * columns.size) / letters));
    const letter = place?.byUser && place.type === "N" ? "U" : (place?.type ?? "N");
    return place && place.chain > 0 ? letter.toLowerCase() : letter;
  }).join("");
}

/** Returns the thoughts between two positions, inclusive, without their text. */
export function toSkeleton(columns: SessionColumns, from: number, to: number): Skeleton {
  const places = columns.slice(from, to);
  const skeleton = {
    seq: places.map(({ seq }) => seq),
    thoughtNumber: places.map(({ thoughtNumber }) => thoughtNumber),
    chain: places.map(({ chain }) => chain),
    parent: places.map(({ parent }) => parent),
    revises: places.map(({ revises }) => revises),
    type: places.map(({ type }) => type).join(""),
    time: places.map(({ time }) => time),
    marks: places.map(({ marks }) => marks),
    branches: columns.branchesBegun(from, to),
  };
  const room = wire.skeletonBytes * places.length - JSON.stringify(skeleton).length;
  return { ...skeleton, ...linksWithin(room, places) };
}

/**
 * Takes the first link of every thought, then the second, and so on, so that one thought with many links does not
 * displace others.
 */
function linksWithin(bytes: number, places: readonly ThoughtPlace[]): Pick<Skeleton, "links" | "relayed"> {
  const taken = places.map((): number[] => []);
  const relayed: number[] = [];
  const mostLinks = Math.max(0, ...places.map(({ links }) => links.length));
  let room = bytes;
  for (let nth = 0; nth < mostLinks && room > 0; nth += 1)
    for (const [row, { position, links }] of places.entries()) {
      const link = links[nth];
      if (!link) continue;
      const triple = [link.from ?? position, link.to, linkRelations.indexOf(link.relation)];
      const entry = link.from === undefined ? triple : [position, ...triple];
      room -= `${entry},`.length;
      if (room < 0) break;
      (link.from === undefined ? taken[row] : relayed)?.push(...entry);
    }
  return { links: taken.flat(), ...(relayed.length > 0 && { relayed }) };
}
