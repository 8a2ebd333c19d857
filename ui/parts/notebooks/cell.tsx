import { gist } from "../../model/gist.ts";
import { describeState } from "../../model/pages/cell-state.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { nameOf } from "../../state/pages/files.ts";
import type { NotebookCell, NotebookRun, RecordedRun } from "../../state/pages/notebooks.ts";
import { highlight } from "../../text/highlight.ts";
import { formatMoment, formatShort, formatSpan } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow, useSecond } from "../basics/clock.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";
import { RunOutput } from "./shown-output.tsx";

/** An older version or run of a cell that is shown instead of the newest. */
export type Earlier = { version: number; text: string; run: NotebookRun | undefined };

type Props = {
  notebook: string;
  cell: NotebookCell;
  number: number;
  isOn: boolean;
  recorded: readonly RecordedRun[];
  earlier: Earlier | undefined;
};

type StateProps = {
  cell: { state: NotebookCell["state"]; run?: NotebookRun | undefined };
  isLong?: boolean;
};

export const StateWords = ({ cell: { state, run }, isLong = true }: StateProps) => {
  const now = useSecond();
  const facts = { state, exitCode: run?.exitCode, stoppedBy: run?.stoppedBy };
  const { icon, words, look } = describeState(facts, run && formatSpan(now - run.at));
  return (
    <span class={`state ${look}`}>
      {icon && <Icon name={icon} size={12} />}
      <span class={isLong || !icon ? "" : "off-screen"}>{words}</span>
    </span>
  );
};

/** Shows one cell: prose, or code with the output of a run. */
export function CellView({ notebook, cell, number, isOn, recorded, earlier }: Props) {
  const now = useNow();
  const { id, type, version, filename, text, state } = cell;
  if (type === "markdown")
    return (
      <div class="ncell">
        <span class="no">{number}</span>
        <div class="mdc">
          <ThoughtText text={text} />
        </div>
      </div>
    );
  const run = earlier ? earlier.run : cell.run;
  const shown = { state: earlier ? stateOf(earlier.run) : state, run };
  const facts = [
    `v${earlier?.version ?? version}`,
    ...(run ? [formatMoment(run.at, now)] : []),
    ...(run?.durationMs === undefined ? [] : [formatShort(run.durationMs)]),
  ];
  const chips = recorded.filter((one) => one.run === undefined || one.run === run?.at);
  return (
    <div class={`ncell${isOn ? " sel" : ""}${isDated(shown.state) ? " stale" : ""}`} id={`cell-${id}`}>
      <span class="no">{number}</span>
      <div class="cbox">
        {earlier && (
          <p class="older" role="status">
            Version {earlier.version} of {version}
            {run && `, run at ${formatMoment(run.at, now)}`}
            <a class="lnk" href={formatRoute({ view: "notebooks", notebook, cell: id })}>
              Show newest
            </a>
          </p>
        )}
        <div class="chd">
          <a class="fn" href={formatRoute({ view: "notebooks", notebook, cell: id })} data-row>
            <PlainText text={filename ?? id} />
          </a>
          <span class="rt2">
            <StateWords cell={shown} isLong={shown.state !== "completed"} />
            <span>{facts.join(" · ")}</span>
          </span>
        </div>
        <pre tabIndex={0} role="group" aria-label={`Code of ${filename ?? "the cell"}`}>
          {highlight(earlier?.text ?? text, "ts").map((token, at) => (
            <span key={at} class={token.kind}>
              <PlainText text={token.text} />
            </span>
          ))}
        </pre>
        {run && (
          <div class="out">
            {!earlier && <Trouble notebook={notebook} cell={cell} run={run} />}
            <RunOutput run={run} name={filename ?? "the cell"} />
            {chips.map((one) => (
              <Recorded key={one.thought} recorded={one} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

/** Returns whether the output is from before a change, or will soon be replaced. */
const isDated = (state: NotebookCell["state"]): boolean => state === "stale" || state === "queued";

/** Returns the state of a run. A run that is shown by itself is never stale. */
const stateOf = (run: NotebookRun | undefined): NotebookCell["state"] =>
  run === undefined
    ? "idle"
    : run.aliveAt !== undefined
      ? "interrupted"
      : run.exitCode === undefined
        ? "running"
        : run.exitCode === 0 && run.stoppedBy === undefined
          ? "completed"
          : "failed";

/** Shows why the output cannot be relied on, and the call that runs the cell again. */
function Trouble({ notebook, cell, run }: { notebook: string; cell: NotebookCell; run: NotebookRun }) {
  const now = useNow();
  const { id, filename, state, changed = [] } = cell;
  if (state !== "stale" && state !== "interrupted") return null;
  const call = { operation: "notebook.run_cell", args: { notebookId: notebook, cellId: id } };
  const stopped = run.aliveAt;
  return (
    <p class={state === "stale" ? "stb2" : "stb2 x"}>
      <Icon name={state === "stale" ? "stale" : "stop"} />
      {state === "stale" ? (
        <>
          <span>
            <PlainText text={changedWords(changed, filename ?? id)} />
          </span>
          <span class="dim">
            Output from {formatMoment(run.at, now)}, version {run.version}.
          </span>
        </>
      ) : (
        <>
          <span>
            The server stopped during this run, at {formatMoment(stopped ?? run.at, now)}
            {stopped !== undefined && stopped > run.at && ` after ${formatSpan(stopped - run.at)}`}.
          </span>
          <span class="dim">No output was kept.</span>
        </>
      )}
      <CopyButton text={() => JSON.stringify(call)} label="Copy rerun call" words="Copy rerun call" />
    </p>
  );
}

/** Returns what changed after a cell ran. `own` is the name of that cell. */
function changedWords(changed: readonly string[], own: string): string {
  const others = changed.filter((name) => name !== own);
  if (others.length === 0) return "This cell changed after it ran.";
  return `${listOf(others.length === changed.length ? others : ["This cell", ...others])} changed after this run.`;
}

/** Joins names: `a.ts`, `a.ts and b.ts`, `a.ts, b.ts and 3 more`. */
function listOf(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? "The cell";
  if (names.length <= 3) return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}

/**
 * The suffix that a recorded run adds to its outcome: which cell ran, how, and its address. The page already shows
 * these.
 */
const ORIGIN = / \([^()]{1,100} of notebook “[\s\S]*$/;

/** Shows a link to the thought that recorded a run. */
export function Recorded({ recorded: { thought, type, text, title } }: { recorded: RecordedRun }) {
  const named = nameOf(thought);
  if (!named) return null;
  return (
    <a
      class={`rec tcard k-${type}`}
      href={formatRoute(
        sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
      )}
      title={`Recorded in ${title}`}
    >
      <Chip type={type} />
      <span class="num">{named.number}</span>
      <span class="ell">
        <PlainText text={gist(text.replace(ORIGIN, ""))} />
      </span>
    </a>
  );
}
