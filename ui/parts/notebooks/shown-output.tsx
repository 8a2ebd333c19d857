import { useEffect, useState } from "preact/hooks";
import { PlainText } from "../basics/plain-text.tsx";

/** What a cell printed. */
export const Printed = ({ title, text }: { title: string; text: string }) => (
  <>
    <h3>{title}</h3>
    <pre>
      <PlainText text={text.trimEnd()} />
    </pre>
  </>
);

/** Pictures as pictures; everything else as its text, HTML too. An SVG in an `img` runs nothing and loads nothing. */
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
