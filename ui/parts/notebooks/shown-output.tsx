import { useEffect, useState } from "preact/hooks";
import { PlainText } from "../basics/plain-text.tsx";

/** What a cell printed. */
export const Printed = ({ title, text }: { title: string; text: string }) => (
  <>
    <h4>{title}</h4>
    <pre>
      <PlainText text={text.trimEnd()} />
    </pre>
  </>
);

/** Pictures as pictures; everything else as its text, HTML too. */
export const Shown = ({ mime, data }: { mime: string; data: string }) =>
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
