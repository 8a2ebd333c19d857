import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FileBlock, OpenFile } from "../../state/pages/open-file.ts";
import { languageOf } from "./code.tsx";
import { FileBlockView } from "./file-block.tsx";

/** The height of a line in pixels, as in `files.css`. */
const LINE = 20;
/** Windows up to this many lines outside the view are drawn too. */
const NEARBY = 500;

type Props = {
  file: OpenFile;
  chosen: FileBlock | undefined;
  marked: { from: number; to: number } | undefined;
  /** When the first session began, in milliseconds since 1970. */
  began: number | undefined;
  hrefOf: (block: FileBlock) => string;
  onLine: (line: number) => void;
  onOpen: () => void;
};

/** Shows the code with reasons in its margin. The margin stays in place while the code scrolls sideways. */
export function FileLines({ file, chosen, marked, began, hrefOf, onLine, onOpen }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ from: 1, to: 100 });
  const look = () => {
    const box = scroller.current;
    if (!box) return;
    const from = Math.floor(box.scrollTop / LINE) + 1;
    const to = from + Math.ceil(box.clientHeight / LINE);
    file.see(from, to);
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  const total = file.head.value?.total;
  useEffect(look, [file, total]);
  useEffect(() => {
    const click = (event: MouseEvent) => {
      const line = lineAt(event);
      if (line !== undefined) onLine(line);
    };
    scroller.current?.addEventListener("click", click);
    return () => scroller.current?.removeEventListener("click", click);
  });
  // A link to a line shows that line. A click on a visible line does not scroll.
  const showMarked = () => {
    const box = scroller.current;
    if (!box || marked === undefined || total === undefined) return;
    const block = chosen && document.getElementById(`block-${chosen.from}`)?.parentElement;
    const code = block?.querySelector(".fcode");
    // On a phone, reasons are above the code and move the lines down.
    const top =
      code && chosen
        ? box.scrollTop +
          (code.getBoundingClientRect().top - box.getBoundingClientRect().top) +
          (marked.from - chosen.from) * LINE
        : (marked.from - 1) * LINE;
    if (top < box.scrollTop || top + LINE > box.scrollTop + box.clientHeight)
      box.scrollTop = top - box.clientHeight / 3;
    look();
  };
  useLayoutEffect(() => {
    showMarked();
    const box = scroller.current;
    if (!box) return;
    // On a phone, arriving reasons push the lines down, so this keeps the marked line in view until the user scrolls.
    const observer = new ResizeObserver(showMarked);
    observer.observe(box);
    const stop = () => observer.disconnect();
    for (const move of ["wheel", "touchmove"]) box.addEventListener(move, stop, { passive: true });
    return () => {
      stop();
      for (const move of ["wheel", "touchmove"]) box.removeEventListener(move, stop);
    };
  }, [file, total, marked?.from, marked?.to, chosen?.from]);
  const lines = file.lines.value;
  const language = languageOf(file.path);
  const isLong = file.head.value?.isLong === true;
  const reasons = file.reasons.value;
  const isNear = ({ from, to }: { from: number; to: number }) =>
    !isLong || (to >= seen.from - NEARBY && from <= seen.to + NEARBY);
  const commits = new Set<string>();
  let isOldest = true;
  return (
    <div
      class="fwb"
      tabIndex={0}
      role="group"
      aria-label="Lines with their reasons"
      ref={scroller}
      onScroll={look}
    >
      <div class="fwl" style={{ "--columns": widest(lines) }}>
        {file.windows().map((window) => (
          <div key={window.from} class="fwin" style={{ "--lines": window.to - window.from + 1 }}>
            {isNear(window) &&
              file.blocksIn(window).map((block) => {
                const { commit, writer } = block;
                const isFirst = commit !== undefined && !commits.has(commit.sha);
                if (commit) commits.add(commit.sha);
                const isOld =
                  isOldest && !writer && commit !== undefined && Date.parse(commit.at) < (began ?? 0);
                if (isOld) isOldest = false;
                const isOn = block.from === chosen?.from;
                return (
                  <FileBlockView
                    key={block.from}
                    block={block}
                    reason={reasons.get(block.from)}
                    lines={lines}
                    language={language}
                    isOn={isOn}
                    marked={markedIn(block, marked)}
                    isTabStop={isOn || (chosen === undefined && block.from === 1)}
                    isFirst={isFirst}
                    isOldest={isOld}
                    href={hrefOf(block)}
                    onOpen={onOpen}
                  />
                );
              })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Returns the clicked line of code, or `undefined` if text was selected or no line was clicked. */
function lineAt({ target, clientY }: MouseEvent): number | undefined {
  const code = target instanceof Element ? target.closest<HTMLElement>(".fcode") : null;
  if (!code || getSelection()?.isCollapsed === false) return undefined;
  const [from, to] = [Number(code.dataset["from"]), Number(code.dataset["to"])];
  const { top, height } = code.getBoundingClientRect();
  return Math.min(to, from + Math.max(0, Math.floor(((clientY - top) / height) * (to - from + 1))));
}

/**
 * Returns the marked lines of a block. Marks none if the whole block is selected, because it already has a different
 * background.
 */
function markedIn(block: FileBlock, marked: Props["marked"]): Props["marked"] {
  if (!marked || marked.to < block.from || marked.from > block.to) return undefined;
  const [from, to] = [Math.max(marked.from, block.from), Math.min(marked.to, block.to)];
  return from === block.from && to === block.to && from !== to ? undefined : { from, to };
}

const MOST_COLUMNS = 2_100;

/** Returns the length of the longest line. All blocks are that wide, so that the margin can stay in place. */
const widest = (lines: readonly (string | undefined)[]): number => {
  let most = 0;
  for (const line of lines) most = Math.max(most, line?.length ?? 0);
  return Math.min(most, MOST_COLUMNS);
};
