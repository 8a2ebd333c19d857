import { useEffect, useState } from "preact/hooks";
import type { Watching } from "../../state/watching.ts";
import type { Cell } from "../../state/words.ts";
import { type CellLink, cellLink } from "../../text/cell-link.ts";
import { highlight } from "../../text/highlight.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Printed, Shown } from "../notebooks/shown-output.tsx";

/** Shows the notebook cell that a thought links to, with its output as evidence. */
export function LinkedCell({ watching, link }: { watching: Watching; link: CellLink }) {
  const [cell, setCell] = useState<Cell | "missing">();
  const address = cellLink(link);
  useEffect(() => {
    setCell(undefined);
    const abort = new AbortController();
    void watching.words
      .cell(link, abort.signal)
      .then((found) => !abort.signal.aborted && setCell(found ?? "missing"));
    return () => abort.abort();
  }, [watching, address]);
  return (
    <section class="sec cell">
      <h3>
        Notebook cell
        <CopyButton text={() => address} label="Copy the address of the cell" />
      </h3>
      {cell === "missing" ? (
        <p class="dim mono">{address}</p>
      ) : cell === undefined ? (
        <p class="dim">Reading …</p>
      ) : (
        <Run cell={cell} />
      )}
    </section>
  );
}

function Run({ cell }: { cell: Cell }) {
  const {
    filename,
    version,
    status,
    durationMs,
    sandbox,
    source,
    output = "",
    value,
    error,
    displays,
  } = cell;
  const facts = [
    `version ${version}`,
    status,
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
  ].join(" · ");
  return (
    <>
      <p class="dim">
        <span class="mono">{filename}</span> · {facts}
      </p>
      <div class="md">
        <pre>
          {highlight(source, "ts").map((token, at) => (
            <span key={at} class={token.kind}>
              <PlainText text={token.text} />
            </span>
          ))}
        </pre>
        {output.trim() !== "" && <Printed title="Printed" text={output} />}
        {value !== undefined && <Printed title="Value" text={value} />}
        {displays.map((shown, at) => (
          <Shown key={at} {...shown} />
        ))}
        {error !== undefined && <Printed title="Error" text={error} />}
      </div>
    </>
  );
}
