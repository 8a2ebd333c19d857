import { useEffect, useState } from "preact/hooks";
import type { Watching } from "../../state/watching.ts";
import type { Cell } from "../../state/words.ts";
import { type CellLink, cellLink } from "../../text/cell-link.ts";
import { highlight } from "../../text/highlight.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** The cell of a notebook that a thought links to, as it ran: the evidence behind the sentence. */
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

const Printed = ({ title, text }: { title: string; text: string }) => (
  <>
    <h4>{title}</h4>
    <pre>
      <PlainText text={text.trimEnd()} />
    </pre>
  </>
);

/** Pictures as pictures; everything else as its text, HTML too. */
const Shown = ({ mime, data }: { mime: string; data: string }) =>
  mime === "image/png" ? <Picture data={data} /> : <Printed title={mime} text={data} />;

function Picture({ data }: { data: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = pictureUrl(data);
    setUrl(made);
    return () => made && URL.revokeObjectURL(made);
  }, [data]);
  return url ? <img src={url} alt="Shown by the cell" /> : <Printed title="image/png" text={data} />;
}

function pictureUrl(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
  } catch {
    return undefined;
  }
}
