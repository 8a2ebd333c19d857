import { STATE } from "../../model/beliefs.ts";
import { MAIN, NONE } from "../../model/columns.ts";
import type { Side } from "../../model/compare.ts";
import { gist } from "../../model/gist.ts";
import { CONCLUSION, typeLetter } from "../../model/thought-types.ts";
import { type CompareRoute, formatRoute, MAIN_NAME, sessionRoute } from "../../route.ts";
import { projectOf } from "../../state/sessions.ts";
import type { Watching } from "../../state/watching.ts";
import { formatClock, formatSpan } from "../../text/time-words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { Chip } from "../basics/chip.tsx";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** One line of an open session. */
export type ShownSide = { watching: Watching; side: Side; isNamed?: true };

type GridProps = {
  left: ShownSide;
  right: ShownSide;
  /** The number of the first row, minus one. */
  base: number;
  onChoose: HeadProps["onChoose"];
  onOpen: (watching: Watching, thought: number) => void;
};

const MOST_ROWS = 300;

/** Shows two lines side by side, step by step. */
export function CompareGrid({ left, right, base, onChoose, onOpen }: GridProps) {
  const steps = Math.max(left.side.thoughts.length, right.side.thoughts.length);
  const rows = Array.from({ length: Math.min(steps, MOST_ROWS) }, (_, at) => at);
  const card = ({ watching, side }: ShownSide, at: number, key: string) => {
    const thought = side.thoughts[at] ?? NONE;
    if (thought !== NONE) watching.words.want(thought, thought);
    return (
      <CompareCard
        key={key}
        watching={watching}
        thought={thought}
        isDead={watching.picture.value.beliefs.deadChain[side.chain] === 1}
        onOpen={(opened) => onOpen(watching, opened)}
      />
    );
  };
  return (
    <div class="cg">
      <CompareHead {...left} name="left" onChoose={onChoose} />
      <div class="mid hd" />
      <CompareHead {...right} name="right" onChoose={onChoose} />
      {rows.flatMap((at) => [
        card(left, at, `l${at}`),
        <div key={`m${at}`} class="mid" aria-hidden="true">
          <span class="num">{base + at + 1}</span>
        </div>,
        card(right, at, `r${at}`),
      ])}
      {steps > MOST_ROWS && <p class="dim cmore">{steps - MOST_ROWS} more steps are not shown here.</p>}
      <EvidenceOnly {...left} />
      <div class="mid last" />
      <EvidenceOnly {...right} />
    </div>
  );
}

type HeadProps = ShownSide & {
  name: "left" | "right";
  onChoose: (side: "left" | "right", line: string) => void;
};

/** Shows a line's name, its conclusion or rejection, and its figures. */
function CompareHead({ watching, side, isNamed, name, onChoose }: HeadProps) {
  const { columns, beliefs } = watching.picture.value;
  const isDead = beliefs.deadChain[side.chain] === 1;
  const fate = side.fate === NONE ? undefined : gist(columns.text[side.fate] ?? "");
  const letter = side.fate === NONE ? "N" : typeLetter(columns.type[side.fate] ?? 0);
  const says = isDead ? "Dead end" : columns.type[side.fate] === CONCLUSION ? "Concluded" : "Rejected";
  const lines = columns.chains.map(({ id }, chain) => (chain === MAIN ? MAIN_NAME : id));
  return (
    <div class="ch">
      {isNamed && (
        <h2 class="cst">
          <a href={formatRoute(sessionRoute(watching.session.id))}>
            <PlainText text={watching.session.info.value?.title ?? ""} />
          </a>
        </h2>
      )}
      <label class="ct">
        <span class="off-screen">{name === "left" ? "Left line" : "Right line"}</span>
        <select value={lines[side.chain]} onChange={(event) => onChoose(name, event.currentTarget.value)}>
          {lines.map((line) => (
            <option key={line} value={line}>
              {line === MAIN_NAME ? "main line" : toVisible(line)}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </label>
      <div class="cv">
        {fate === undefined ? (
          <span class="dim">
            {watching.session.info.value?.status === "completed" ? "No conclusion" : "No conclusion yet"}
          </span>
        ) : (
          <>
            <Chip type={letter} />
            <span>
              {says}: <PlainText text={fate} />
            </span>
          </>
        )}
      </div>
      <dl>
        <Figure words={side.thoughts.length === 1 ? "thought" : "thoughts"} value={side.thoughts.length} />
        <Figure words="evidence" value={side.evidence.length} />
        <Figure words="revised" value={side.revised} />
        <Figure words="took" value={formatSpan(side.took)} isLead />
      </dl>
    </div>
  );
}

/** Shows a value and its label. If `isLead` is set, the label is first. */
const Figure = ({ words, value, isLead }: { words: string; value: number | string; isLead?: boolean }) => (
  <div class={isLead ? "lead" : ""}>
    <dt>{words}</dt>
    <dd>{value}</dd>
  </div>
);

type CardProps = { watching: Watching; thought: number; isDead: boolean; onOpen: (thought: number) => void };

function CompareCard({ watching, thought, isDead, onOpen }: CardProps) {
  if (thought === NONE) return <div class="cc none" />;
  const { columns, beliefs } = watching.picture.value;
  const letter = typeLetter(columns.type[thought] ?? 0);
  const text = columns.text[thought] ?? "…";
  const replaced = columns.revises[thought] ?? NONE;
  const isFaded = (beliefs.state[thought] ?? STATE.believed) !== STATE.believed;
  const look = isDead || isFaded ? " dead" : letter === "C" ? " C" : "";
  return (
    <button
      type="button"
      class={`cc k-${letter}${look}`}
      data-thought={thought}
      onClick={() => onOpen(thought)}
    >
      <span class="h">
        <Chip type={letter} hollow={isFaded} />
        <span class="num">{columns.number[thought]}</span>
        <span class="num clock">{formatClock(columns.time[thought] ?? 0)}</span>
      </span>
      <span class="p">
        <PlainText text={gist(text).slice(0, 1_000)} />
      </span>
      {replaced >= 0 && (
        <span class="nt">
          <Icon name="revise" />
          replaces {columns.number[replaced]}
        </span>
      )}
    </button>
  );
}

const MOST_EVIDENCE = 4;

function EvidenceOnly({ watching, side }: { watching: Watching; side: Side }) {
  const { columns } = watching.picture.value;
  if (side.evidence.length === 0) return <div class="cs" />;
  return (
    <div class="cs">
      <h2>Evidence only on this line</h2>
      {side.evidence.slice(0, MOST_EVIDENCE).map((thought) => (
        <p key={thought}>
          <Chip type="E" size="s" />
          <span class="num">{columns.number[thought]}</span>
          <span class="words">
            <PlainText text={gist(columns.text[thought] ?? "")} />
          </span>
        </p>
      ))}
      {side.evidence.length > MOST_EVIDENCE && <p class="dim">{side.evidence.length - MOST_EVIDENCE} more</p>}
    </div>
  );
}

const MOST_CHOICES = 200;

/** Selects the session for the right side: one of the newest, or the one in the address. */
export function WithSession({ route, watching }: { route: CompareRoute; watching: Watching }) {
  const o = useObservatory();
  const sessions = o.server.value?.sessions.list.value ?? [];
  const { id } = watching.session;
  const others = sessions.filter((one) => one.id !== id && one.thoughtCount > 0);
  const known = o.server.value?.sessions.byId.value.get(route.other ?? "");
  const choices = [...new Set([...(known ? [known] : []), ...others.slice(0, MOST_CHOICES)])];
  if (choices.length === 0) return null;
  return (
    <label class="cwith">
      <span class="eyebrow">Compare with</span>
      <span class="ct">
        <select
          value={route.other ?? ""}
          onChange={({ currentTarget: { value } }) =>
            o.navigation.go({
              view: "compare",
              session: id,
              other: value || undefined,
              left: undefined,
              right: undefined,
            })
          }
        >
          <option value="">another line in this session</option>
          {choices.map((one) => (
            <option key={one.id} value={one.id}>
              {toVisible(one.title)}
              {projectOf(one) && ` · ${projectOf(one)}`}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  );
}
