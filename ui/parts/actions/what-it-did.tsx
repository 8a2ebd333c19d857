import type { ComponentChildren } from "preact";
import { MARKS, NONE } from "../../model/columns.ts";
import {
  type Action,
  commitSubject,
  countDeeds,
  filesChanged,
  gapAfter,
  type Parts,
  timeParts,
} from "../../model/pages/actions.ts";
import { formatRoute } from "../../route.ts";
import type { Watching } from "../../state/watching.ts";
import { countOf } from "../../text/count-words.ts";
import { formatMinute, formatSpan } from "../../text/time-words.ts";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ActionList } from "./between.tsx";

/** Returns whether the user wrote a thought: loaded thoughts name their author, and the rest have a mark. */
const isUserIn =
  ({ session }: Watching) =>
  (thought: number): boolean =>
    session.records.get(thought)?.agentId === "user" ||
    ((session.columns.peek().marks[thought] ?? 0) & MARKS.asked) !== 0;

/** Shows what the agent did between a thought and the next one in its line. */
export function GapDeeds({ watching, thought }: { watching: Watching; thought: number }) {
  const { columns } = watching.picture.value;
  const actions = watching.session.done.value.after.get(thought) ?? [];
  if (actions.length === 0) return null;
  const gap = gapAfter(columns, thought, actions);
  const parts = timeParts(columns, { all: actions }, isUserIn(watching), gap);
  const to = gap.next === NONE ? "now" : columns.number[gap.next];
  return (
    <section class="gap" aria-label={`Actions from ${columns.number[thought]} to ${to}`}>
      <h3 class="gap-head">
        Actions{" "}
        <span class="num">
          {columns.number[thought]} → {to}
        </span>
        <span class="dim">
          {countOf(countDeeds(actions), "action")} in {formatSpan(gap.to - gap.from)}
        </span>
      </h3>
      <ActionList watching={watching} actions={actions} />
      <TimeSpent title="Time in this gap" parts={parts} />
      <Deeds actions={actions} />
    </section>
  );
}

/** Shows how the session spent its time and what it changed. Used while no thought is selected. */
export function SessionDeeds({ watching, onClose }: { watching: Watching; onClose: () => void }) {
  const { session } = watching;
  const done = session.done.value;
  const isFolded = watching.unfolded.value.size === 0;
  const { columns } = watching.picture.value;
  const parts = timeParts(columns, done, isUserIn(watching));
  return (
    <aside class="detail" aria-label="What the agent did">
      <div class="dh">
        <div class="who">
          <h2>What the agent did</h2>
          <span class="eyebrow">
            {countOf(countDeeds(done.all), "action")} in {formatSpan(parts.whole)}
          </span>
        </div>
        <button type="button" class="ib" aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Time, files and commits">
        <TimeSpent title="Time in this session" parts={parts} />
        <Deeds actions={done.all} />
      </div>
      <div class="df">
        <Keys
          keys={[
            ["a", isFolded ? "unfold actions" : "fold actions"],
            ["A", isFolded ? "unfold all" : "fold all"],
            ["↵", "open"],
          ]}
        />
      </div>
    </aside>
  );
}

const shares = [
  ["sh-t", "Thinking", "thinking"],
  ["sh-e", "Reading and editing", "editing"],
  ["sh-c", "Tests and commands", "running"],
  ["sh-w", "Waiting for you", "waiting"],
] as const satisfies readonly (readonly [string, string, keyof Parts])[];

/** Returns whole percentages with a sum of 100. Parts that lose most by rounding down are rounded up. */
function percentagesOf(parts: Parts): readonly number[] {
  const exact = shares.map(([, , part]) => (parts.whole > 0 ? (100 * parts[part]) / parts.whole : 0));
  const whole = exact.map(Math.floor);
  const missing =
    Math.round(exact.reduce((sum, one) => sum + one, 0)) - whole.reduce((sum, one) => sum + one, 0);
  const byLoss = exact.map((one, at) => ({ at, loss: one % 1 })).toSorted((a, b) => b.loss - a.loss);
  const raised = new Set(byLoss.slice(0, Math.max(0, missing)).map(({ at }) => at));
  return whole.map((one, at) => (raised.has(at) ? one + 1 : one));
}

const TimeSpent = ({ title, parts }: { title: string; parts: Parts }) => (
  <Section title={title} end={formatSpan(parts.whole)}>
    <div class="split" aria-hidden="true">
      {shares.map(([look, , part]) => (
        <i key={look} class={look} style={{ flex: parts[part] }} />
      ))}
    </div>
    <div class="lg2">
      {shares.map(([look, words, part], at) => (
        <div key={look} class="row">
          <i class={look} />
          <span>{words}</span>
          <span class="num">{formatSpan(parts[part])}</span>
          <span class="dim">{percentagesOf(parts)[at]}%</span>
        </div>
      ))}
    </div>
  </Section>
);

type SectionProps = { title: string; end?: ComponentChildren; children: ComponentChildren };

const Section = ({ title, end, children }: SectionProps) => (
  <section class="sec">
    <h3>
      {title} <span class="num">{end}</span>
    </h3>
    {children}
  </section>
);

const MOST_FILES = 40;

/** Shows the files, commits and refusals in some actions. Empty sections are left out. */
function Deeds({ actions }: { actions: readonly Action[] }) {
  const files = filesChanged(actions);
  const commits = actions.filter(({ commit }) => commit !== undefined);
  const refusals = actions.filter(({ type }) => type === "refusal");
  const sum = (of: "written" | "removed") => files.reduce((total, file) => total + file[of], 0);
  return (
    <>
      {files.length > 0 && (
        <Section
          title="Files changed"
          end={
            <>
              <span class="add">+{sum("written")}</span> <span class="sub">−{sum("removed")}</span>
            </>
          }
        >
          {files.slice(0, MOST_FILES).map((file) => (
            <FileLine key={file.path} {...file} />
          ))}
          {files.length > MOST_FILES && <p class="dim">{files.length - MOST_FILES} more files</p>}
        </Section>
      )}
      {commits.length > 0 && (
        <Section title="Commits" end={commits.length}>
          {commits.map(({ commit, command }, at) => (
            <div key={at} class="commit-line">
              <Icon name="commit" />
              <span class="num">{commit}</span>
              <span class="ell">
                <PlainText text={commitSubject(command)} />
              </span>
            </div>
          ))}
        </Section>
      )}
      {refusals.length > 0 && (
        <Section title="Refused" end={refusals.length}>
          {refusals.map(({ said, command, at }) => (
            <div key={at} class="refusal">
              {said !== "" && (
                <p class="quo">
                  <PlainText text={said} />
                </p>
              )}
              <p class="meta">
                You <span class="sep">·</span> {formatMinute(at)} <span class="sep">·</span>
                <code class="ell">
                  <PlainText text={command} />
                </code>
              </p>
            </div>
          ))}
        </Section>
      )}
    </>
  );
}

const SQUARES = 5;

function FileLine({ path, written, removed }: { path: string; written: number; removed: number }) {
  const cut = path.lastIndexOf("/") + 1;
  const added =
    written + removed === 0 ? 0 : Math.max(1, Math.round((SQUARES * written) / (written + removed)));
  return (
    <a class="fl2" title={path} href={formatRoute({ view: "files", path, line: undefined })}>
      <span class="ell">
        <span class="dir">
          <PlainText text={path.slice(0, cut).split("/").slice(-3).join("/")} />
        </span>
        <PlainText text={path.slice(cut)} />
      </span>
      <span class="add">+{written}</span>
      <span class="sub">{removed > 0 ? `−${removed}` : ""}</span>
      <span class="sq" aria-hidden="true">
        {Array.from({ length: SQUARES }, (_, at) => (
          <i key={at} class={at < added ? "p" : removed > 0 ? "m" : ""} />
        ))}
      </span>
    </a>
  );
}
