import { useState } from "preact/hooks";
import { type CommentParts, longestComment, writeComment } from "../../model/pages/comment.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { PlainText } from "../basics/plain-text.tsx";

const choices = [
  ["reasons", "Reasons, the strongest five"],
  ["given_up", "What was given up"],
  ["refusals", "Your refusals, in your words"],
  ["asked", "What was asked"],
  ["unexplained", "Lines without a reason"],
  ["cards", "Decisions and cards"],
] as const;

/** A comment for a pull request. Shows it exactly as it is copied. */
export function CommentPanel({ comment, range }: { comment: CommentParts; range: string }) {
  const [isOff, setOff] = useState<ReadonlySet<string>>(new Set(["asked"]));
  const text = writeComment(comment, (kind) => !isOff.has(kind));
  const toggle = (kind: string) =>
    setOff((before) => {
      const after = new Set(before);
      if (!after.delete(kind)) after.add(kind);
      return after;
    });
  const offered = choices.filter(([kind]) => comment.sections.some((section) => section.kind === kind));
  return (
    <aside class="detail" aria-label="Comment for the pull request">
      <div class="dh">
        <div class="who">
          <h2>Comment for the pull request</h2>
          <span class="eyebrow">
            {text.length.toLocaleString("en")} of {longestComment.toLocaleString("en")} characters
          </span>
        </div>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Comment">
        <pre class="chm">
          <PlainText text={text} />
        </pre>
        {offered.length > 0 && (
          <fieldset class="sec include">
            <legend>Include</legend>
            {offered.map(([kind, words]) => (
              <label key={kind}>
                <input type="checkbox" checked={!isOff.has(kind)} onChange={() => toggle(kind)} />
                {words}
              </label>
            ))}
          </fieldset>
        )}
        <p class="copies">
          <CopyButton text={() => text} label="Copy Markdown" words="Copy Markdown" />
          <CopyButton
            text={() => `thoughtbox why --diff ${range} --format markdown`}
            label="Copy command"
            words="Copy command"
          />
        </p>
        <p class="dim small">Nothing is sent. Secrets are masked before you see the text.</p>
      </div>
    </aside>
  );
}
