import { formatRoute } from "../../route.ts";
import type { NotebookCell } from "../../state/pages/notebooks.ts";
import { highlight } from "../../text/highlight.ts";
import { formatMoment, formatShort } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { Icon, type IconName } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";
import { Printed, Shown } from "./shown-output.tsx";

type Props = { notebook: string; cell: NotebookCell; number: number; isOn: boolean };

const states: Readonly<Record<NotebookCell["state"], { icon?: IconName; words: string; look: string }>> = {
  idle: { words: "not run", look: "" },
  running: { words: "running", look: "" },
  completed: { icon: "check", words: "completed", look: "okc" },
  failed: { icon: "close", words: "failed", look: "bad" },
  stale: { icon: "stale", words: "stale", look: "warnc" },
  interrupted: { icon: "stop", words: "interrupted", look: "bad" },
};

export const StateWords = ({ state }: { state: NotebookCell["state"] }) => {
  const { icon, words, look } = states[state];
  return (
    <span class={`state ${look}`}>
      {icon && <Icon name={icon} size={12} />}
      {words}
    </span>
  );
};

/** One cell: prose, or code with the output of its latest run. */
export function CellView({ notebook, cell, number, isOn }: Props) {
  const now = useNow();
  const { id, type, version, filename, text, state, run } = cell;
  if (type === "title") return null;
  if (type === "markdown")
    return (
      <div class="ncell">
        <span class="no">{number}</span>
        <div class="mdc">
          <ThoughtText text={text} />
        </div>
      </div>
    );
  const call = { operation: "notebook.run_cell", args: { notebookId: notebook, cellId: id } };
  return (
    <div class={`ncell${isOn ? " sel" : ""}${state === "stale" ? " stale" : ""}`} id={`cell-${id}`}>
      <span class="no">{number}</span>
      <div class="cbox">
        <div class="chd">
          <a class="fn" href={formatRoute({ view: "notebooks", notebook, cell: id })} data-row>
            <PlainText text={filename ?? id} />
          </a>
          <span class="rt2">
            <StateWords state={state} />
            <span>
              v{version}
              {run?.durationMs !== undefined && ` · ${formatShort(run.durationMs)}`}
            </span>
          </span>
        </div>
        <pre tabIndex={0}>
          {highlight(text, "ts").map((token, at) => (
            <span key={at} class={token.kind}>
              <PlainText text={token.text} />
            </span>
          ))}
        </pre>
        {run && (
          <div class="out">
            {state === "stale" && (
              <p class="stb2">
                <Icon name="stale" />
                {run.version < version ? (filename ?? "It") : "A cell that it imports"} changed after this
                ran.
                <span class="dim">
                  Output of {formatMoment(run.at, now)}, from version {run.version}.
                </span>
                <CopyButton
                  text={() => JSON.stringify(call)}
                  label="Copy call to run again"
                  words="Copy call to run again"
                />
              </p>
            )}
            {state === "interrupted" && (
              <p class="stb2 x">
                <Icon name="stop" />
                The server stopped while this ran, at {formatMoment(run.at, now)}.
                <CopyButton
                  text={() => JSON.stringify(call)}
                  label="Copy call to run again"
                  words="Copy call to run again"
                />
              </p>
            )}
            {run.value !== undefined && <Printed title="Value" text={run.value} />}
            {run.output !== undefined && run.output.trim() !== "" && (
              <Printed title="Printed" text={run.output} />
            )}
            {run.displays.map((shown, at) => (
              <Shown key={at} {...shown} />
            ))}
            {run.error !== undefined && <Printed title="Error" text={run.error} />}
          </div>
        )}
      </div>
    </div>
  );
}
