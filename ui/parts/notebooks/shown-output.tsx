import { useEffect, useState } from "preact/hooks";
import type { NotebookRun } from "../../state/pages/notebooks.ts";
import { formatCount } from "../../text/count-words.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { useSettledTheme } from "../basics/theme-of-page.ts";

const MOST_LINES = 40;
const MOST_ROWS = 100;
/** The maximum number of columns. A cell can print tens of thousands, which would block the page. */
const MOST_COLUMNS = 50;
const MOST_ROWS_IN_ALL = 5_000;

/** Shows a run's output: its value first, then what it printed and showed. A single part needs no title. */
export function RunOutput({ run, name }: { run: NotebookRun; name: string }) {
  const { value, output = "", displays, error } = run;
  const parts = [value !== undefined, output.trim() !== "", displays.length > 0, error !== undefined];
  const isAlone = parts.filter((isThere) => isThere).length === 1;
  return (
    <>
      {value !== undefined && <Printed title="Value" text={value} isAlone={isAlone} />}
      {output.trim() !== "" && <Printed title="Printed" text={output} isAlone={isAlone} />}
      {displays.map((shown, at) => (
        <Shown key={at} {...shown} name={name} />
      ))}
      {error !== undefined && <Printed title="Error" text={error} />}
      {run.durationMs !== undefined && parts.every((isThere) => !isThere) && (
        <p class="nothing dim">Printed nothing.</p>
      )}
    </>
  );
}

/** Text that a cell printed or returned. An array of objects is a table. */
export function Printed({
  title,
  text,
  isAlone = false,
}: {
  title: string;
  text: string;
  isAlone?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const rows = toRows(text);
  const lines = text.trimEnd().split("\n");
  const isCut = !isWhole && (rows ?? lines).length > (rows ? MOST_ROWS : MOST_LINES);
  return (
    <>
      <h3 class={isAlone ? "off-screen" : ""}>{title}</h3>
      {rows ? (
        <Table rows={isCut ? rows.slice(0, MOST_ROWS) : rows} />
      ) : (
        <pre tabIndex={0} role="group" aria-label={title}>
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
    // The value was cut, or the text looks like JSON only at its beginning.
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
export const Shown = ({ mime, data, name = "the cell" }: { mime: string; data: string; name?: string }) =>
  mime === "image/png" || mime === "image/svg+xml" ? (
    <Picture mime={mime} data={data} name={name} />
  ) : (
    <Printed title={mime} text={data} />
  );

type PictureProps = { mime: "image/png" | "image/svg+xml"; data: string };

function Picture({ mime, data, name }: PictureProps & { name: string }) {
  const theme = useSettledTheme();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = pictureUrl({ mime, data }, theme);
    setUrl(made);
    return () => made && URL.revokeObjectURL(made);
  }, [mime, data, theme]);
  const alt = mime === "image/svg+xml" ? labelOf(data) : undefined;
  return url ? (
    <img src={url} alt={alt ?? `Picture shown by ${name}`} />
  ) : (
    <Printed title={mime} text={data} />
  );
}

function pictureUrl({ mime, data }: PictureProps, theme: string): string | undefined {
  try {
    const content =
      mime === "image/png"
        ? Uint8Array.from(atob(data), (one) => one.charCodeAt(0))
        : // A plot contains styles for each theme, and this attribute selects one.
          data.replace(/^<svg (?=[^>]*role="img")/, `<svg data-theme="${theme}" `);
    return URL.createObjectURL(new Blob([content], { type: mime }));
  } catch {
    return undefined;
  }
}

const MOST_LABEL = 500;
const LABEL = /^<svg\b[^>]*\saria-label="([^"]*)"/;
const TITLE = /<title\b[^>]*>([^<]*)<\/title>/;

/** Returns the description inside a picture. */
export function labelOf(svg: string): string | undefined {
  const label = (LABEL.exec(svg) ?? TITLE.exec(svg))?.[1] ?? "";
  const words = label
    .replaceAll(/&#(\d{1,6});/g, (_, code: string) =>
      String.fromCodePoint(Math.min(Number(code), 0x10_ff_ff)),
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
  return words.trim().slice(0, MOST_LABEL) || undefined;
}
