import { useState } from "preact/hooks";
import { type Columns, NONE } from "../../model/columns.ts";
import { gist } from "../../model/gist.ts";
import type { Link } from "../../model/links.ts";
import { typeLetter } from "../../model/thought-types.ts";
import type { Watching } from "../../state/watching.ts";
import { Chip } from "../basics/chip.tsx";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";

type Line = { relation: string; thought: number };
const FIRST = 8;

/** The words for a relation: first for the thought that states it, then for the thought that it refers to. */
const WORDS = {
  rests_on: ["rests on", "used by"],
  supports: ["supports", "supported by"],
  contradicts: ["contradicts", "contradicted by"],
  rejects: ["rejects", "rejected by"],
  revises: ["replaces", "replaced by"],
} as const;
const RELATIONS = ["revises", "rests_on", "supports", "contradicts", "rejects"] as const;

/** Relations from the weakest to the strongest. */
const STRENGTHS = ["rests_on", "supports", "contradicts", "rejects", "revises"] as const;

/** Returns the strongest link to each thought. Supporting evidence can later become a contradiction. */
function strongest(links: readonly Link[]): Link[] {
  const found = new Map<number, Link>();
  for (const link of links) {
    const known = found.get(link.thought);
    if (!known || STRENGTHS.indexOf(link.relation) > STRENGTHS.indexOf(known.relation))
      found.set(link.thought, link);
  }
  return [...found.values()];
}

/** Returns all links of a thought, the most useful first. Thoughts after the selected moment are left out. */
export function linksOf(columns: Columns, index: number, until: number): Line[] {
  const { revises, revisedBy, links, chains } = columns;
  const lines: Line[] = [];
  const put = (relation: string, thought: number | undefined) => {
    if (thought === undefined || thought < 0 || thought > until || thought === index) return;
    if (!lines.some((line) => line.thought === thought)) lines.push({ relation, thought });
  };
  put("replaces", revises[index]);
  put("replaced by", revisedBy[index] ?? NONE);
  const own = strongest(links.from(index));
  for (const relation of RELATIONS)
    for (const link of own) if (link.relation === relation) put(WORDS[relation][0], link.thought);
  for (const link of strongest(links.to(index))) put(WORDS[link.relation][1], link.thought);
  for (const chain of columns.forksOf(index)) put("forks to", chains[chain]?.thoughts[0]);
  return lines;
}

export function Links({ watching, index }: { watching: Watching; index: number }) {
  const { select } = useObservatory();
  const [all, setAll] = useState(false);
  const { columns, moment } = watching.picture.value;
  const lines = linksOf(columns, index, moment);
  if (lines.length === 0) return null;
  for (const { thought } of lines.slice(0, FIRST)) watching.words.want(thought, thought);
  return (
    <section class="sec">
      <h3>
        Links<span>{lines.length}</span>
      </h3>
      <div class="links">
        {(all ? lines : lines.slice(0, FIRST)).map(({ relation, thought }) => {
          const branch = columns.chains[columns.chain[thought] ?? 0]?.id;
          return (
            <button key={thought} type="button" onClick={() => select(thought)}>
              <span class="rel">{relation}</span>
              <Chip type={typeLetter(columns.type[thought] ?? 0)} />
              <span class="num">{columns.number[thought]}</span>
              <span class="words">
                {columns.chain[thought] !== columns.chain[index] && (
                  <span class="mono dim">
                    <PlainText text={branch || "main line"} />{" "}
                  </span>
                )}
                <PlainText text={gist(columns.text[thought] ?? "…")} />
              </span>
            </button>
          );
        })}
      </div>
      {!all && lines.length > FIRST && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          all {lines.length}
        </button>
      )}
    </section>
  );
}
