import { useEffect, useState } from "preact/hooks";
import {
  type Counts,
  type Line,
  longestComment,
  previewComment,
  type Section,
  writeComment,
} from "../../model/pages/comment.ts";
import type { OpenChanges } from "../../state/pages/changes.ts";
import { formatCount } from "../../text/count-words.ts";
import { useObservatory } from "../basics/context.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Segments } from "../basics/segments.tsx";

/** The checkboxes. The last checkbox appears only if there are cards. */
const choices = [
  ["reasons", "The five strongest reasons"],
  ["given_up", "What was given up"],
  ["refusals", "Your refusals, in your words"],
  ["asked", "What was asked"],
  ["unexplained", "Lines without a reason"],
  ["cards", "Decisions and cards"],
] as const;

type Props = {
  changes: OpenChanges;
  /** The counts, or `undefined` while lines are still being counted. */
  counts: Counts | undefined;
  onClose: () => void;
};

/** Shows a comment for a pull request. The preview shows exactly what is copied. */
export function CommentPanel({ changes, counts, onClose }: Props) {
  const o = useObservatory();
  const { range } = changes;
  const comment = changes.comment.value;
  const isOffered = counts !== undefined && changes.largeFiles().size > 0 && !changes.isWriting.value;
  const sections: readonly Section[] = comment && "sections" in comment ? comment.sections : [];
  const failed = comment && "message" in comment ? comment : undefined;
  const [isOff, setOff] = useState<ReadonlySet<string>>(new Set(["asked"]));
  const [as, setAs] = useState<"preview" | "markdown">("preview");
  const isReady = counts !== undefined && comment !== undefined && !failed;
  const text = isReady ? writeComment(counts, sections, (kind) => !isOff.has(kind)) : undefined;
  const toggle = (kind: string) =>
    setOff((before) => {
      const after = new Set(before);
      if (!after.delete(kind)) after.add(kind);
      return after;
    });
  useEffect(() => {
    if (text === undefined) return;
    o.page.value = { ...o.page.peek(), copy: { words: "The comment", text: () => text } };
  });
  const sizeOf = (kind: string): number =>
    sections
      .filter((section) => section.kind === kind)
      .reduce((sum, { items, more = 0 }) => sum + items.length + more, 0);
  return (
    <aside class="detail" aria-label="Comment for the pull request">
      <div class="dh">
        <div class="who">
          <h2>Comment for the pull request</h2>
          <span class="eyebrow">
            {text === undefined ? "–" : formatCount(text.length)} of {formatCount(longestComment)} characters
          </span>
        </div>
        <button type="button" class="ib" aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Comment">
        <div class="prc">
          <div class="ph">
            <Icon name="note" />
            <Segments
              label="Comment as"
              chosen={as}
              onChoose={setAs}
              segments={[
                { name: "preview", words: "Preview" },
                { name: "markdown", words: "Markdown" },
              ]}
            />
          </div>
          {isOffered ? (
            <p class="pb dim">
              These files are large, so writing the comment takes a while.{" "}
              <button type="button" class="more" onClick={() => void changes.writeComment()}>
                Write the comment
              </button>
            </p>
          ) : text === undefined ? (
            <p class="pb dim" role="status">
              {failed ? failed.message : counts ? "Writing the comment …" : "Counting lines …"}
            </p>
          ) : as === "markdown" ? (
            <pre class="pb">
              <PlainText text={text} />
            </pre>
          ) : (
            <Preview lines={previewComment(text)} />
          )}
        </div>
        <fieldset class="sec include">
          <legend>Include</legend>
          {choices
            .filter(([kind]) => kind !== "cards" || sizeOf(kind) > 0)
            .map(([kind, words]) => (
              <label key={kind} class={sizeOf(kind) === 0 ? "none" : ""}>
                <input
                  type="checkbox"
                  checked={!isOff.has(kind)}
                  onChange={() => toggle(kind)}
                  disabled={sizeOf(kind) === 0}
                />
                {words}
                <span class="num">
                  {isReady ? (sizeOf(kind) === 0 ? "none" : formatCount(sizeOf(kind))) : "–"}
                </span>
              </label>
            ))}
        </fieldset>
        <p class="dim small">Nothing is sent. Secrets are masked before you see the text.</p>
      </div>
      <p class="copies">
        {text !== undefined && (
          <CopyButton text={() => text} label="Copy Markdown" words="Copy Markdown" isMain />
        )}
        <CopyButton
          text={() => `thoughtbox why --diff ${range} --format markdown`}
          label="Copy command"
          words="Copy command"
          icon="terminal"
        />
      </p>
      <div class="df">
        <Keys
          keys={[
            ["j k", "hunk"],
            ["↵", "to the thought"],
            ["y", "copy"],
          ]}
        />
      </div>
    </aside>
  );
}

function Preview({ lines }: { lines: readonly Line[] }) {
  return (
    <div class="pb" data-preview>
      {lines.map(({ kind, words }, at) => {
        const inner = words.map(({ text, look }, part) =>
          look === "code" ? (
            <code key={part}>
              <PlainText text={text} />
            </code>
          ) : look === "strong" ? (
            <strong key={part}>
              <PlainText text={text} />
            </strong>
          ) : (
            <PlainText key={part} text={text} />
          ),
        );
        return kind === "heading" ? (
          <h3 key={at}>{inner}</h3>
        ) : (
          <p key={at} class={kind === "item" ? "item" : ""}>
            {inner}
          </p>
        );
      })}
    </div>
  );
}
