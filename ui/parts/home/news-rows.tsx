import { gist } from "../../model/gist.ts";
import { lastSentence } from "../../model/pages/told.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import type { Contradiction, DeadEnd, MovedTask, NewsConflict, NewsLine } from "../../state/pages/home.ts";
import { projectOf } from "../../state/sessions.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatAge, formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

export const addressOf = ({ sessionId, branchId, thoughtNumber }: NewsLine): string =>
  formatRoute(sessionRoute(sessionId, { thought: { branch: branchId, number: thoughtNumber } }));

const Dot = () => (
  <span class="sep" aria-hidden="true">
    ·
  </span>
);

type LineProps = {
  line: NewsLine & Pick<DeadEnd, "reason">;
  now: number;
  note?: string | undefined;
  age?: boolean;
};

/** Shows one thought: its text, its session and its time. An idea that was given up has a hollow letter. */
export function NewsRow({ line, now, note, age }: LineProps) {
  const project = projectOf(line);
  const words = note ?? (line.agent === undefined ? undefined : agentName(line.agent));
  const { reason } = line;
  const at = Date.parse((reason ?? line).at);
  return (
    <a class={`ev ${line.type}${reason ? " gone" : ""}`} href={addressOf(line)} data-row>
      <Chip type={line.type} hollow={reason !== undefined} />
      <p>
        <PlainText text={line.type === "N" ? lastSentence(line.text) : gist(line.text)} />
      </p>
      <span class="tm">{age ? formatAge(at, now) : formatMoment(at, now)}</span>
      {reason && (
        <p class="reason">
          <Chip type={reason.type} />
          <PlainText text={gist(reason.text)} />
        </p>
      )}
      <span class="meta">
        <span class="ell">
          <PlainText text={line.sessionTitle} />
        </span>
        {project !== "" && (
          <>
            <Dot />
            <PlainText text={project} />
          </>
        )}
        {words !== undefined && (
          <>
            <Dot />
            <PlainText text={words} />
          </>
        )}
      </span>
    </a>
  );
}

function Side({ line, now, isOld }: { line: NewsLine; now: number; isOld: boolean }) {
  return (
    <a
      class={`tcard k-${line.type}${isOld ? " gone" : ""}${line.type === "C" && !isOld ? " C" : ""}`}
      href={addressOf(line)}
      data-row
    >
      <span class="h">
        <Chip type={line.type} hollow={isOld} />
        <span class="num">{line.thoughtNumber}</span>
        <span class="dim">{formatMoment(Date.parse(line.at), now)}</span>
      </span>
      <PlainText text={gist(line.text)} />
    </a>
  );
}

export const ContradictionRow = ({ pair: { old, by }, now }: { pair: Contradiction; now: number }) => (
  <div class="contra-row">
    <span class="meta">
      <span class="ell">
        <PlainText text={by.sessionTitle} />
      </span>
    </span>
    <div class="contra">
      <Side line={old} now={now} isOld />
      <span class="x" title="contradicts">
        <Icon name="against" />
        <span class="off-screen">is contradicted by</span>
      </span>
      <Side line={by} now={now} isOld={false} />
    </div>
  </div>
);

const ticks = {
  done: "done",
  active: "now",
  blocked: "stopped",
  ready: "",
  parked: "",
  canceled: "stopped",
} as const;

export const Tick = ({ state }: { state: keyof typeof ticks }) => (
  <i class={`tick ${ticks[state]}`} aria-hidden="true">
    {state === "done" && <Icon name="check" />}
  </i>
);

export const TaskRow = ({ task }: { task: MovedTask }) => (
  <a class="mv" href={formatRoute(memoryRoute({ workspace: task.workspace, item: task.id }))} data-row>
    <Tick state={task.state} />
    <span class="num">{task.id}</span>
    <span class="ell">
      <PlainText text={task.title} />
    </span>
    <span class="to">
      {task.from ?? "new"}
      <Icon name="arrow" />
      <b>
        <PlainText text={agentName(task.to)} />
      </b>
    </span>
  </a>
);

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

export const ConflictRow = ({ conflict, now }: { conflict: NewsConflict; now: number }) => (
  <a
    class="ev"
    href={formatRoute(memoryRoute({ workspace: conflict.workspace, item: conflict.conflict_id }))}
    data-row
  >
    <Icon name="fork" />
    <p>
      <PlainText
        text={
          conflict.fields.length > 0
            ? `${conflict.key} differs in ${listed(conflict.fields)}`
            : `${conflict.key} exists on one side only`
        }
      />
    </p>
    <span class="tm">{formatMoment(Date.parse(conflict.at), now)}</span>
    <span class="meta mono">
      <span class="ell">
        <PlainText text={`${conflict.from} → ${conflict.into}`} />
      </span>
    </span>
  </a>
);
