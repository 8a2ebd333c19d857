import { diffLines } from "../../model/diff.ts";
import { describeState } from "../../model/pages/cell-state.ts";
import { formatRoute } from "../../route.ts";
import type {
  CellHistory,
  CellRunLine,
  NotebookCell,
  NotebookRun,
  RecordedRun,
} from "../../state/pages/notebooks.ts";
import { countOf } from "../../text/count-words.ts";
import { formatMoment, formatShort, formatSpan } from "../../text/time-words.ts";
import { useNow, useSecond } from "../basics/clock.ts";
import { useCommand } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Recorded, StateWords } from "./cell.tsx";

type Props = {
  notebook: string;
  cell: NotebookCell;
  number: number;
  cells: readonly NotebookCell[];
  recorded: readonly RecordedRun[];
  /** The cell's history, or `undefined` while it is being read. */
  history: CellHistory | undefined;
  /** The version and run that are shown. */
  version: number;
  run: NotebookRun | undefined;
};

/**
 * Shows a cell's runs by version, the changes in the version that is displayed, who recorded it, and the
 * cells that it uses or that use it.
 */
export function CellPanel({ notebook, cell, number, cells, recorded, history, version, run }: Props) {
  const command = useCommand();
  const { id, filename } = cell;
  const versions = history?.versions ?? [];
  const shown = versions.find((one) => one.version === version);
  const before = versions.find((one) => one.version === version - 1);
  const ran = history?.runs.filter((line) => line.version === version).map(({ at }) => at) ?? [];
  const recordedRuns = recorded.filter((one) => one.run === undefined || ran.includes(one.run));
  return (
    <aside class="detail" aria-label="Cell">
      <div class="dh">
        <div class="who">
          <h2 class="mono">
            <PlainText text={filename ?? id} /> <span class="num">cell {number}</span>
          </h2>
          <span class="eyebrow">
            {countOf(cell.version, "version")}, {history ? countOf(history.runs.length, "run") : "– runs"}
          </span>
        </div>
        <button
          type="button"
          class="ib"
          aria-label="Copy link"
          title="Copy link"
          onClick={() => command("copy-link")}
        >
          <Icon name="link" />
        </button>
        <a
          class="ib"
          href={formatRoute({ view: "notebooks", notebook, cell: undefined })}
          aria-label="Close"
          title="Close"
        >
          <Icon name="close" />
        </a>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Runs and versions">
        {run?.sandbox !== undefined && <p class="meta">sandbox {run.sandbox}</p>}
        {versions.map((one) => (
          <Version
            key={one.version}
            {...one}
            runs={history?.runs.filter((line) => line.version === one.version) ?? []}
            isOn={one.version === version}
            isQueued={cell.state === "queued" && one.version === cell.version}
            chosen={run?.at}
            hrefOf={(at) =>
              formatRoute({ view: "notebooks", notebook, cell: id, version: one.version, run: at })
            }
          />
        ))}
        {shown?.text !== undefined && before?.text !== undefined && (
          <section class="sec">
            <h3>
              What changed, {before.version} → {shown.version}
            </h3>
            <Changes before={before.text} after={shown.text} />
          </section>
        )}
        {recordedRuns.length > 0 && (
          <section class="sec">
            <h3>Recorded by</h3>
            {recordedRuns.map((one) => (
              <Recorded key={one.thought} recorded={one} />
            ))}
          </section>
        )}
        <Cells title="Uses" notebook={notebook} cells={cells.filter((one) => cell.uses.includes(one.id))} />
        <Cells title="Used by" notebook={notebook} cells={cells.filter((one) => one.uses.includes(id))} />
      </div>
      <div class="df">
        <Keys
          keys={[
            ["j k", "cell"],
            ["[ ]", "version"],
            ["↵", "thought"],
          ]}
        />
      </div>
    </aside>
  );
}

type VersionProps = {
  version: number;
  at: number;
  text?: string;
  runs: readonly CellRunLine[];
  isOn: boolean;
  /** Whether this version is waiting to run. */
  isQueued: boolean;
  chosen: number | undefined;
  hrefOf: (run: number | undefined) => string;
};

function Version({ version, at, text, runs, isOn, isQueued, chosen, hrefOf }: VersionProps) {
  const now = useNow();
  return (
    <section class="sec">
      <h3>
        <a href={hrefOf(undefined)} aria-current={isOn ? "true" : undefined}>
          Version {version}
          {text === undefined && ", deleted"}
        </a>
        <span class="num">{formatMoment(at, now)}</span>
      </h3>
      {runs.length === 0 && <p class="dim small">{isQueued ? "queued" : "not run"}</p>}
      {runs.map((run) => (
        <RunRow key={run.at} run={run} isOn={isOn && run.at === chosen} href={hrefOf(run.at)} />
      ))}
    </section>
  );
}

function RunRow({ run, isOn, href }: { run: CellRunLine; isOn: boolean; href: string }) {
  const now = useNow();
  const { icon, words, look } = describeState(run, formatSpan(useSecond() - run.at));
  const took = run.durationMs === undefined ? "" : `, ${formatShort(run.durationMs)}`;
  return (
    <a class={isOn ? "rn on" : "rn"} href={href} aria-current={isOn ? "true" : undefined}>
      <span class={look}>{icon && <Icon name={icon} size={13} />}</span>
      <span class={`ell ${look === "okc" ? "" : look}`}>
        <PlainText text={run.error === undefined ? `${words}${took}` : `${words}: ${run.error}`} />
      </span>
      <span class="tm">{formatMoment(run.at, now)}</span>
    </a>
  );
}

const MOST_CHANGES = 60;

function Changes({ before, after }: { before: string; after: string }) {
  const changes = diffLines(before, after);
  if (!changes || changes.length === 0)
    return <p class="dim small">{changes ? "Only the name of the cell changed." : "Too long to compare."}</p>;
  return (
    <pre class="vdiff" tabIndex={0} role="group" aria-label="Changed lines">
      {changes.slice(0, MOST_CHANGES).map(({ kind, text }, at) => (
        <span key={at} class={kind === "added" ? "came" : "went"}>
          <i aria-hidden="true">{kind === "added" ? "+" : "−"}</i>
          <PlainText text={text} />
          {"\n"}
        </span>
      ))}
      {changes.length > MOST_CHANGES && `${changes.length - MOST_CHANGES} more lines`}
    </pre>
  );
}

type CellsProps = { title: string; notebook: string; cells: readonly NotebookCell[] };

const Cells = ({ title, notebook, cells }: CellsProps) =>
  cells.length === 0 ? null : (
    <section class="sec">
      <h3>{title}</h3>
      {cells.map((cell) => (
        <p key={cell.id}>
          <a class="mono" href={formatRoute({ view: "notebooks", notebook, cell: cell.id })}>
            <PlainText text={cell.filename ?? cell.id} />
          </a>{" "}
          {cell.state !== "completed" && cell.state !== "idle" && <StateWords cell={cell} />}
        </p>
      ))}
    </section>
  );
