import { useEffect, useState } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import { type CellVersions, type NotebookCell, readVersions } from "../../state/pages/notebooks.ts";
import { countOf } from "../../text/count-words.ts";
import { formatMoment, formatShort } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { StateWords } from "./cell.tsx";

type Props = { notebook: string; cell: NotebookCell; cells: readonly NotebookCell[]; close: string };

/** A cell's latest run, the cells that use each other, and its versions with what each one changed. */
export function CellPanel({ notebook, cell, cells, close }: Props) {
  const now = useNow();
  const get = useObservatory().server.value?.get;
  const [history, setHistory] = useState<CellVersions>();
  const { id, version, filename, run, state } = cell;
  useEffect(() => {
    setHistory(undefined);
    if (!get) return;
    const abort = new AbortController();
    void readVersions(get, notebook, id, abort.signal).then((fetched) => {
      if (!abort.signal.aborted && "answer" in fetched) setHistory(fetched.answer);
    });
    return () => abort.abort();
  }, [get, notebook, id, version]);
  const versions = history?.versions ?? [];
  return (
    <aside class="detail" aria-label="Cell">
      <div class="dh">
        <div class="who">
          <h2 class="mono">
            <PlainText text={filename ?? id} />
          </h2>
          <span class="eyebrow">{countOf(version, "version")}</span>
        </div>
        <a class="ib" href={close} aria-label="Close" title="Close">
          <Icon name="close" />
        </a>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Runs and versions">
        {run && (
          <section class="sec">
            <h3>
              Latest run <span class="num">{formatMoment(run.at, now)}</span>
            </h3>
            <p>
              <StateWords state={state} /> · version {run.version}
              {run.durationMs !== undefined && ` · ${formatShort(run.durationMs)}`}
              {run.exitCode != null && ` · exit ${run.exitCode}`}
              {run.stoppedBy !== undefined && ` · stopped: ${run.stoppedBy}`}
              {run.sandbox !== undefined && ` · sandbox ${run.sandbox}`}
            </p>
          </section>
        )}
        <Cells title="Uses" notebook={notebook} cells={cells.filter((one) => cell.uses.includes(one.id))} />
        <Cells title="Used by" notebook={notebook} cells={cells.filter((one) => one.uses.includes(id))} />
        {versions.map(({ version: number, text }, at) => (
          <Version key={number} number={number} text={text} before={versions[at + 1]?.text} />
        ))}
      </div>
    </aside>
  );
}

type CellsProps = { title: string; notebook: string; cells: readonly NotebookCell[] };

const Cells = ({ title, notebook, cells }: CellsProps) =>
  cells.length === 0 ? null : (
    <section class="sec">
      <h3>{title}</h3>
      {cells.map(({ id, filename, state }) => (
        <p key={id}>
          <a class="mono" href={formatRoute({ view: "notebooks", notebook, cell: id })}>
            <PlainText text={filename ?? id} />
          </a>{" "}
          {state === "stale" && <StateWords state={state} />}
        </p>
      ))}
    </section>
  );

type VersionProps = { number: number; text: string | undefined; before: string | undefined };

/** A version of a cell. Lines that the previous version does not have are marked. */
function Version({ number, text, before }: VersionProps) {
  const known = before === undefined ? undefined : new Set(before.split("\n"));
  return (
    <section class="sec">
      <h3>
        Version {number} {known && <span class="num">changed from {number - 1}</span>}
      </h3>
      <pre class="version">
        {text === undefined
          ? "deleted"
          : text.split("\n").map((line, at) => (
              <span key={at}>
                {known && !known.has(line) ? (
                  <ins>
                    <PlainText text={line} />
                  </ins>
                ) : (
                  <PlainText text={line} />
                )}
                {"\n"}
              </span>
            ))}
      </pre>
    </section>
  );
}
