import { useEffect, useRef, useState } from "preact/hooks";
import { remarksOn, sendRemark } from "../../state/remarks.ts";
import type { Watching } from "../../state/watching.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "./thought-text.tsx";

type Props = { watching: Watching; index: number };

const LONGEST = 4_000;

/** Reads a thought's remarks. `server` is undefined if users cannot comment (sample, shared files). */
const useRemarks = ({ watching, index }: Props) => {
  const o = useObservatory();
  const server = o.server.value;
  const name = watching.nameOf(index);
  const found = remarksOn(watching.session.remarks.value, name);
  const isOpen = server !== undefined && !watching.session.isLocal.value;
  return { o, server: isOpen ? server : undefined, name, found };
};

export function StarButton(props: Props) {
  const run = useCommand();
  const { server, found } = useRemarks(props);
  if (!server) return null;
  const isStarred = found?.starredAt !== undefined;
  return (
    <button
      type="button"
      class={isStarred ? "ib starred" : "ib"}
      aria-label="Star"
      title={isStarred ? "Remove the star (*)" : "Star this thought (*)"}
      aria-pressed={isStarred}
      onClick={() => run("star")}
    >
      <Icon name="star" />
    </button>
  );
}

/** Shows the comments on a thought, and a field to add one. */
export function Remarks(props: Props) {
  const { o, server, name, found } = useRemarks(props);
  const { session, commenting } = props.watching;
  const comments = found?.comments ?? [];
  const isWriting = commenting.value;
  if (!server && comments.length === 0) return null;
  const send = async (said: { comment: string } | { withdraw: string }): Promise<boolean> => {
    if (!server) return false;
    const problem = await sendRemark(server.post, session, name, said);
    if (problem !== undefined) o.tell({ title: "Not saved", words: problem });
    return problem === undefined;
  };
  return (
    <section class="sec remarks">
      <h3>Comments{comments.length > 0 && <span>{comments.length}</span>}</h3>
      {comments.map(({ id, text, at }) => (
        <div class="remark" key={id}>
          <ThoughtText text={text} />
          <span class="by">
            {formatMoment(Date.parse(at), o.environment.now())}
            {server && (
              <button type="button" class="more" onClick={() => void send({ withdraw: id })}>
                Withdraw
              </button>
            )}
          </span>
        </div>
      ))}
      {server &&
        (isWriting ? (
          <CommentForm
            onSend={(comment) => send({ comment })}
            onClose={() => {
              commenting.value = false;
            }}
          />
        ) : (
          <button
            type="button"
            class="btn"
            onClick={() => {
              commenting.value = true;
            }}
          >
            <Icon name="quote" size={14} />
            Add a comment
            <kbd>C</kbd>
          </button>
        ))}
    </section>
  );
}

type FormProps = { onSend: (text: string) => Promise<boolean>; onClose: () => void };

function CommentForm({ onSend, onClose }: FormProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isEmpty = text.trim() === "";
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isEmpty && (await onSend(text.trim()))) onClose();
  };
  return (
    <form class="cform" onSubmit={(event) => void submit(event)}>
      <textarea
        ref={field}
        aria-label="Comment"
        rows={3}
        maxLength={LONGEST}
        value={text}
        placeholder="Agents read comments when they resume this session."
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void submit(event);
        }}
      />
      <div class="cfoot">
        <span class="dim">
          <PlainText text={`${text.length.toLocaleString("en")} of ${LONGEST.toLocaleString("en")}`} />
        </span>
        <button type="button" class="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="btn solid" disabled={isEmpty}>
          Comment
        </button>
      </div>
    </form>
  );
}
