import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../../text/count-words.ts";
import { PlainText } from "../basics/plain-text.tsx";

const MOST_LINES = 40;
const MOST_ROWS = 100;
/** A cell can print a row with tens of thousands of columns. Millions of table cells would block the page. */
const MOST_COLUMNS = 50;
const MOST_ROWS_IN_ALL = 5_000;

/** Text that a cell printed or returned. An array of objects is a table. */
export function Printed({ title, text }: { title: string; text: string }) {
  const [isWhole, setWhole] = useState(false);
  const rows = toRows(text);
  const lines = text.trimEnd().split("\n");
  const isCut = !isWhole && (rows ?? lines).length > (rows ? MOST_ROWS : MOST_LINES);
  return (
    <>
      <h3>{title}</h3>
      {rows ? (
        <Table rows={isCut ? rows.slice(0, MOST_ROWS) : rows} />
      ) : (
        <pre>
          <PlainText text={(isCut ? lines.slice(0, MOST_LINES) : lines).join("\n")} />
        </pre>
      )}
      {isCut && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          {rows
            ? `${formatCount(rows.length - MOST_ROWS)} more`
            : `Show all ${formatCount(lines.length)} lines`}
        </button>
      )}
    </>
  );
}

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function toRows(text: string): Row[] | undefined {
  if (!text.startsWith("[{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.length > MOST_ROWS_IN_ALL || !value.every(isRow)) return undefined;
    return columnsOf(value).length > MOST_COLUMNS ? undefined : value;
  } catch {
    // A value that was cut, or text that only begins like one.
    return undefined;
  }
}

const columnsOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))];

function Table({ rows }: { rows: readonly Row[] }) {
  const names = columnsOf(rows);
  return (
    <div class="tw" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" class={typeof rows[0]?.[name] === "number" ? "r" : ""}>
                <PlainText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {names.map((name) => (
                <td key={name} class={typeof row[name] === "number" ? "r" : ""}>
                  <PlainText text={inCell(row[name])} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inCell = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** Shows images as images and everything else as text, even HTML. An SVG in an `img` runs and loads nothing. */
export const Shown = ({ mime, data }: { mime: string; data: string }) =>
  mime === "image/png" || mime === "image/svg+xml" ? (
    <Picture mime={mime} data={data} />
  ) : (
    <Printed title={mime} text={data} />
  );

type PictureProps = { mime: "image/png" | "image/svg+xml"; data: string };

function Picture({ mime, data }: PictureProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = pictureUrl({ mime, data });
    setUrl(made);
    return () => made && URL.revokeObjectURL(made);
  }, [mime, data]);
  return url ? <img src={url} alt="Shown by the cell" /> : <Printed title={mime} text={data} />;
}

function pictureUrl({ mime, data }: PictureProps): string | undefined {
  try {
    const content = mime === "image/png" ? Uint8Array.from(atob(data), (one) => one.charCodeAt(0)) : data;
    return URL.createObjectURL(new Blob([content], { type: mime }));
  } catch {
    return undefined;
  }
}
