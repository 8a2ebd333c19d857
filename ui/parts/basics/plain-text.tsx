import { Fragment } from "preact";
import { splitHidden } from "../../text/visible-text.ts";

const HiddenCharacter = ({ name }: { name: string }) => (
  <span class="hidden-char" title={`hidden character ${name}`}>
    {name}
  </span>
);

/** One line of an agent's text, with hidden characters made visible and search matches marked. */
export function PlainText({ text, mark }: { text: string; mark?: string | undefined }) {
  return (
    <bdi>
      {splitHidden(text).map((run, at) =>
        "hidden" in run ? (
          <HiddenCharacter key={at} name={run.hidden} />
        ) : (
          <Marked key={at} text={run.text} mark={mark} />
        ),
      )}
    </bdi>
  );
}

function Marked({ text, mark }: { text: string; mark: string | undefined }) {
  const needle = mark?.toLowerCase() ?? "";
  const at = needle === "" ? -1 : text.toLowerCase().indexOf(needle);
  if (at < 0) return <Fragment>{text}</Fragment>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + needle.length)}</mark>
      {text.slice(at + needle.length)}
    </>
  );
}
