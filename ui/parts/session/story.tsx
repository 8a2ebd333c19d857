import { NOW } from "../../model/beliefs.ts";
import { MARKS, NONE } from "../../model/columns.ts";
import { gist } from "../../model/gist.ts";
import { lastSentence } from "../../model/pages/told.ts";
import { typeLetter } from "../../model/thought-types.ts";
import { livenessOf } from "../../state/liveness.ts";
import type { Watching } from "../../state/watching.ts";
import { formatCount } from "../../text/count-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

const Stat = ({ value, words }: { value: number; words: string }) => (
  <div class="stat">
    <b>{formatCount(value)}</b>
    <span>{words}</span>
  </div>
);

/** Shows the session in two sentences: its start, and its current conclusion. */
export function Story({ watching }: { watching: Watching }) {
  const { select } = useObservatory();
  const { columns, moment } = watching.picture.value;
  const story = watching.story.value;
  const isPast = moment !== NOW;
  const now = useNow(60_000);
  const info = watching.session.info.value;
  const isEnded = info?.status === "completed";
  if (story.prose !== NONE) watching.words.want(story.prose, story.prose);
  watching.words.want(story.began, story.began);
  if (story.stands !== NONE) watching.words.want(story.stands, story.stands);
  const isAsking =
    info !== undefined &&
    typeLetter(columns.type[columns.size - 1] ?? 0) === "Q" &&
    livenessOf(info, now) === "open";
  if (columns.size === 0) return <section class="story" aria-label="Story" />;
  const sentence = (index: number) => <PlainText text={gist(columns.text[index] ?? "")} />;
  return (
    <section class="story" aria-label="Story">
      <div class="s ask">
        <span class="eyebrow">Began with</span>
        {story.began !== NONE && (
          <button type="button" onClick={() => select(story.began, { open: true })}>
            <Chip
              type={typeLetter(columns.type[story.began] ?? 0)}
              isYours={((columns.marks[story.began] ?? 0) & MARKS.asked) !== 0}
            />
            <span class="p">{sentence(story.began)}</span>
          </button>
        )}
      </div>
      <span class="arrow">
        <Icon name="arrow" />
      </span>
      <div class="s now">
        <span class="eyebrow">
          {isPast
            ? "Conclusion at that moment"
            : isAsking
              ? "Waiting for your answer · current conclusion"
              : story.prose === NONE
                ? "Current conclusion"
                : isEnded
                  ? "Ended with"
                  : "Last statement"}
        </span>
        {story.stands === NONE && story.prose !== NONE ? (
          <button type="button" onClick={() => select(story.prose, { open: true })}>
            <Chip type="N" />
            <span class="p">
              <PlainText text={`“${lastSentence(columns.text[story.prose] ?? "")}”`} />
            </span>
          </button>
        ) : story.stands === NONE ? (
          <div class="none">
            <span class="chip k-N hollow" aria-hidden="true">
              –
            </span>
            <span class="p dim">{isPast ? "none yet" : isEnded ? "no conclusion" : "no conclusion yet"}</span>
          </div>
        ) : (
          <button type="button" onClick={() => select(story.stands, { open: true })}>
            <Chip type="C" />
            <span class="p">
              <span class="num">{columns.number[story.stands]}</span> {sentence(story.stands)}
            </span>
          </button>
        )}
      </div>
      <div class="stats">
        <Stat value={story.thoughts} words={story.thoughts === 1 ? "thought" : "thoughts"} />
        <Stat value={story.branches} words={story.branches === 1 ? "branch" : "branches"} />
        <Stat value={story.revised} words="revised" />
        <Stat value={story.deadEnds} words={story.deadEnds === 1 ? "dead end" : "dead ends"} />
      </div>
    </section>
  );
}
