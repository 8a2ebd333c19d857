import { useState } from "preact/hooks";
import { type Action, gapAfter, joinReads, tallyOf } from "../../model/pages/actions.ts";
import type { Watching } from "../../state/watching.ts";
import { countOf } from "../../text/count-words.ts";
import { formatAge, formatSpan } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { Icon, type IconName } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ActionPath } from "./action-path.tsx";
import { Failure } from "./failure.tsx";

type Part = { icon: IconName; words: string; isBad?: boolean };

/** Summarises a group of actions. Failures and refusals are visible even if the group is folded. */
export function partsOf(actions: readonly Action[]): Part[] {
  const { edits, reads, tests, failedTests, commands, commits, refused, recorded } = tallyOf(actions);
  const parts: Part[] = [];
  if (edits > 0) parts.push({ icon: "edit", words: countOf(edits, "edit") });
  if (tests > 0)
    parts.push({
      icon: "test",
      words: `${countOf(tests, "test run")}${failedTests > 0 ? `, ${failedTests} failed` : ""}`,
      isBad: failedTests > 0,
    });
  if (commits > 0) parts.push({ icon: "commit", words: countOf(commits, "commit") });
  if (refused > 0) parts.push({ icon: "refuse", words: `${refused} refused`, isBad: true });
  if (recorded > 0) parts.push({ icon: "note", words: countOf(recorded, "recorded thought") });
  if (reads > 0) parts.push({ icon: "eye", words: countOf(reads, "read") });
  if (commands > 0) parts.push({ icon: "terminal", words: countOf(commands, "command") });
  return parts;
}

type Props = {
  watching: Watching;
  /** The thought that the actions follow. */
  thought: number;
  isOpen: boolean;
  onToggle: () => void;
};

/** Shows a summary line between two thoughts. Lists the actions below the line if it is open. */
export function Between({ watching, thought, isOpen, onToggle }: Props) {
  const actions = watching.session.done.value.after.get(thought) ?? [];
  const { from, to } = gapAfter(watching.picture.value.columns, thought, actions);
  return (
    <>
      <button
        type="button"
        class="bsum"
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation();
          onToggle();
        }}
      >
        <Icon name={isOpen ? "down" : "right"} />
        {partsOf(actions).map(({ icon, words, isBad }) => (
          <span key={icon} class={isBad ? "bad" : ""}>
            <Icon name={icon} />
            {words}
          </span>
        ))}
        <span class="du">{formatSpan(to - from)}</span>
      </button>
      {isOpen && <ActionList watching={watching} actions={actions} />}
    </>
  );
}

type ListProps = { watching: Watching; actions: readonly Action[] };

export const ActionList = ({ watching, actions }: ListProps) => (
  <div class="alist">
    {joinReads(actions).map((action, at) =>
      action.type === "read" ? (
        <ReadRow key={at} action={action} />
      ) : (
        <ActionRow key={at} watching={watching} action={action} />
      ),
    )}
  </div>
);

const iconOf: Readonly<Record<string, IconName>> = {
  edit: "edit",
  refusal: "refuse",
  record: "note",
  fork: "fork",
  commit: "commit",
};

function ActionRow({ watching, action }: { watching: Watching; action: Action }) {
  const { type, path, command, written, removed, said, commit, took } = action;
  const ofCommand = action.tests ? "test" : commit ? "commit" : "terminal";
  const icon: IconName = iconOf[type] ?? ofCommand;
  return (
    <div class={type === "refusal" ? "ar no" : "ar"}>
      <Icon name={icon} />
      <code class="ell" title={type === "edit" ? path : command}>
        {type === "edit" && path !== undefined ? (
          <ActionPath path={path} edit={{ session: watching.session.id, action }} watching={watching} />
        ) : (
          <PlainText text={command} />
        )}
      </code>
      <span class="res2">
        {type === "edit" ? (
          <>
            <span class="add">+{written}</span> <span class="sub">−{removed}</span>
          </>
        ) : (
          <Outcome action={action} />
        )}
      </span>
      <span class="du">{formatSpan(took)}</span>
      {said !== "" && (
        <p class="say2">
          “<PlainText text={said} />”
        </p>
      )}
      {type === "command" && action.failed && <Failure watching={watching} action={action} />}
    </div>
  );
}

/** Shows consecutive reads. A click lists the files. */
function ReadRow({ action: { paths, took } }: { action: Action }) {
  const [isOpen, setOpen] = useState(false);
  const [only] = paths;
  return (
    <div class="ar">
      <Icon name="eye" />
      {paths.length === 1 && only !== undefined ? (
        <span class="reads">
          Read{" "}
          <code title={only}>
            <ActionPath path={only} />
          </code>
        </span>
      ) : (
        <button type="button" class="reads" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Read {countOf(paths.length, "file")}
        </button>
      )}
      <span class="res2" />
      <span class="du">{formatSpan(took)}</span>
      {isOpen && (
        <ul class="read-paths">
          {paths.map((path) => (
            <li key={path}>
              <code class="ell" title={path}>
                <ActionPath path={path} />
              </code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Outcome({ action: { type, failed, exit, tests, results, commit } }: { action: Action }) {
  if (type === "refusal") return <span class="bad">refused by you</span>;
  if (failed && results && results.failed > 0)
    return (
      <span class="bad">
        {results.failed} of {results.failed + results.passed} failed
      </span>
    );
  if (failed) return <span class="bad">{exit === undefined ? "failed" : `failed, exit ${exit}`}</span>;
  if (tests) return <span class="okc">{results ? `${results.passed} passed` : "passed"}</span>;
  return commit === undefined ? null : <span class="num">{commit}</span>;
}

const testing = /\b(?:test|vitest|jest|pytest|mocha|tox|rspec|phpunit|ctest)\b/;

export const runningIcon = (command: string): IconName => (testing.test(command) ? "test" : "terminal");

/** Shows what the agent is doing at this moment, below its newest thought. */
export function RunningRow({ running }: { running: { command: string; at: string } }) {
  const now = useNow(1_000);
  return (
    <div class="run-row">
      <Icon name={runningIcon(running.command)} />
      <code class="ell" title={running.command}>
        <PlainText text={running.command} />
      </code>
      <span>running</span>
      <span class="du">{formatAge(Date.parse(running.at), now)}</span>
    </div>
  );
}
