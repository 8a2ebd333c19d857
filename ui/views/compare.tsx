import { useEffect } from "preact/hooks";
import { MAIN, NONE } from "../model/columns.ts";
import { compareLines, wholeSide } from "../model/compare.ts";
import { gist } from "../model/gist.ts";
import { typeLetter } from "../model/thought-types.ts";
import { Notice } from "../parts/basics/banner.tsx";
import { Chip } from "../parts/basics/chip.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { CompareGrid, WithSession } from "../parts/session/compare-side.tsx";
import { type CompareRoute, MAIN_NAME, sessionRoute } from "../route.ts";
import type { Watching } from "../state/watching.ts";

/** Compares two lines from their fork on, number by number. Also compares lines in two sessions. */
export function CompareView({ route, watching }: { route: CompareRoute; watching: Watching }) {
  const beside = useObservatory().beside.value;
  useSteps();
  if (watching.session.phase.value === "loading") return <main class="cmp" id="main" />;
  return (
    <main class="cmp" id="main" tabIndex={0}>
      <WithSession route={route} watching={watching} />
      {route.other === undefined ? (
        <TwoLines route={route} watching={watching} />
      ) : (
        beside && <TwoSessions route={route} watching={watching} beside={beside} />
      )}
    </main>
  );
}

type Props = { route: CompareRoute; watching: Watching };

const chainOf = ({ picture }: Watching, name: string | undefined): number | undefined =>
  name === MAIN_NAME ? MAIN : picture.value.columns.chainOf(name ?? "");

function useOpen() {
  const o = useObservatory();
  return ({ session, nameOf }: Watching, thought: number) =>
    o.navigation.go(sessionRoute(session.id, { thought: nameOf(thought) }));
}

function TwoLines({ route, watching }: Props) {
  const o = useObservatory();
  const open = useOpen();
  const { columns, moment } = watching.picture.value;
  const [left, right] = [chainOf(watching, route.left), chainOf(watching, route.right)];
  useChoice(route, watching);
  if (left === undefined || right === undefined || left === right)
    return (
      <Notice title="No branch to compare">
        This session has no branches. Choose another session above.
      </Notice>
    );
  const found = compareLines(columns, left, right, moment);
  const { fork } = found;
  const change = (side: "left" | "right", name: string) =>
    o.navigation.go({
      ...route,
      [side]: name,
      ...(name === route[side === "left" ? "right" : "left"] && {
        [side === "left" ? "right" : "left"]: route[side],
      }),
    });
  const wentOn = left === MAIN || right === MAIN ? NONE : nextOnMain(watching, fork);
  return (
    <>
      {fork !== NONE && <Fork watching={watching} fork={fork} />}
      <svg class="fan" viewBox="0 0 1080 34" preserveAspectRatio="none" aria-hidden="true" fill="none">
        <path d="M540 0v10q0 8-8 8H16q-8 0-8 8v8" />
        <path d="M540 0v10q0 8 8 8h52q8 0 8 8v8" />
      </svg>
      <CompareGrid
        left={{ watching, side: found.left }}
        right={{ watching, side: found.right }}
        base={columns.number[fork] ?? 0}
        onChoose={change}
        onOpen={open}
      />
      <div class="cboth">
        {found.shared[0] !== undefined && (
          <Footnote words="Both rest on" watching={watching} thought={found.shared[0]} />
        )}
        {wentOn !== NONE && (
          <Footnote words="Main line continued with" watching={watching} thought={wentOn} />
        )}
      </div>
    </>
  );
}

/** Compares lines in two sessions, starting at their first thoughts. */
function TwoSessions({ route, watching, beside }: Props & { beside: Watching }) {
  const o = useObservatory();
  const open = useOpen();
  const phase = beside.session.phase.value;
  if (phase === "loading") return null;
  if (phase !== "ready")
    return <Notice title="No such session">The other session was not found. Choose one above.</Notice>;
  const side = (of: Watching, name: string | undefined) => {
    const { columns, moment } = of.picture.value;
    const chain = chainOf(of, name ?? MAIN_NAME) ?? MAIN;
    return { watching: of, side: wholeSide(columns, chain, moment), isNamed: true as const };
  };
  return (
    <CompareGrid
      left={side(watching, route.left)}
      right={side(beside, route.right)}
      base={0}
      onChoose={(changed, name) =>
        o.navigation.go({
          ...route,
          left: route.left ?? MAIN_NAME,
          right: route.right ?? MAIN_NAME,
          [changed]: name,
        })
      }
      onOpen={open}
    />
  );
}

/** If the address names no lines, selects the first branch and the line it forked from. */
function useChoice(route: CompareRoute, watching: Watching) {
  const o = useObservatory();
  const { chains } = watching.picture.value.columns;
  const branch = chains[1];
  useEffect(() => {
    if (route.left || route.right || !branch) return;
    o.navigation.go({ ...route, left: chains[branch.parentChain]?.id || MAIN_NAME, right: branch.id });
  }, [o, route, branch, chains]);
}

/** Makes `h` and `l` change the side, `j` and `k` the row, and Enter open the focused card. */
function useSteps() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest("input, select, [role=dialog]");
      if (!step || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = nextCard([...document.querySelectorAll<HTMLElement>(".cg > .cc")], step);
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, []);
}

type Step = { side: number; row: number };
const STEPS: Readonly<Record<string, Step>> = {
  h: { side: -1, row: 0 },
  ArrowLeft: { side: -1, row: 0 },
  l: { side: 1, row: 0 },
  ArrowRight: { side: 1, row: 0 },
  j: { side: 0, row: 1 },
  ArrowDown: { side: 0, row: 1 },
  k: { side: 0, row: -1 },
  ArrowUp: { side: 0, row: -1 },
};

/** Cells are in pairs, left and right. A line that has ended has empty cells, which are skipped. */
function nextCard(cells: readonly HTMLElement[], { side, row }: Step): HTMLElement | undefined {
  const at = cells.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return cells.find((cell, index) => isCard(cell) && index % 2 === (side > 0 ? 1 : 0));
  if (row !== 0) {
    for (let to = at + 2 * row; to >= 0 && to < cells.length; to += 2 * row)
      if (isCard(cells[to])) return cells[to];
    return undefined;
  }
  if (at % 2 === (side > 0 ? 1 : 0)) return undefined;
  for (let to = at + side; to >= 0; to -= 2) if (isCard(cells[to])) return cells[to];
  return undefined;
}

const isCard = (cell: HTMLElement | undefined): cell is HTMLElement => cell instanceof HTMLButtonElement;

function nextOnMain(watching: Watching, fork: number): number {
  const { columns, moment } = watching.picture.value;
  let at = fork;
  while (at !== NONE && columns.chain[at] !== MAIN) at = columns.parent[at] ?? NONE;
  const next = columns.chains[MAIN]?.thoughts[(columns.place[at] ?? 0) + 1] ?? NONE;
  return next <= moment ? next : NONE;
}

function Fork({ watching, fork }: { watching: Watching; fork: number }) {
  const { columns } = watching.picture.value;
  const letter = typeLetter(columns.type[fork] ?? 0);
  const branch = columns.chains[columns.chain[fork] ?? 0]?.id;
  watching.words.want(fork, fork);
  return (
    <div class={`cf k-${letter}`}>
      <span class="eyebrow">Both begin at</span>
      <div class="h">
        <Chip type={letter} />
        <span class="num">
          <PlainText text={branch || ""} /> {columns.number[fork]}
        </span>
        <p>
          <PlainText text={gist(columns.text[fork] ?? "")} />
        </p>
      </div>
    </div>
  );
}

function Footnote({ words, watching, thought }: { words: string; watching: Watching; thought: number }) {
  const { columns } = watching.picture.value;
  return (
    <span class="foot">
      <span class="eyebrow">{words}</span>
      <Chip type={typeLetter(columns.type[thought] ?? 0)} size="s" />
      <span class="words">
        {columns.number[thought]} <PlainText text={gist(columns.text[thought] ?? "")} />
      </span>
    </span>
  );
}
