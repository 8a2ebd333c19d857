import { Fragment } from "preact";
import { wordsOf } from "../../model/search.ts";
import { splitHidden } from "../../text/visible-text.ts";

const HiddenCharacter = ({ name }: { name: string }) => (
  <span class="hidden-char" title={`hidden character ${name}`}>
    {name}
  </span>
);

/** Shows one line of an agent's text, with hidden characters made visible and search matches marked. */
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
  const words = mark === undefined ? [] : wordsOf(mark);
  if (words.length === 0) return <Fragment>{text}</Fragment>;
  const pattern = new RegExp(
    `(${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`,
    "i",
  );
  return <>{text.split(pattern).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}
