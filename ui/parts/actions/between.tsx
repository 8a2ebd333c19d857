import { type Action, tallyOf } from "../../model/pages/actions.ts";
import { formatRoute } from "../../route.ts";
import { countOf } from "../../text/count-words.ts";
import { formatSpan } from "../../text/time-words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { Icon, type IconName } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Part = { icon: IconName; words: string; isBad?: boolean };

/** Summarises a group of actions. Failures and refusals are visible even if the group is folded. */
export function partsOf(actions: readonly Action[]): Part[] {
  const { edits, tests, failedTests, commands, commits, refused, recorded } = tallyOf(actions);
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
  if (commands > 0) parts.push({ icon: "terminal", words: countOf(commands, "command") });
  return parts;
}

type Props = { actions: readonly Action[]; isOpen: boolean; onToggle: () => void };

/** A summary line between two thoughts. If open, the actions are listed below it. */
export const Between = ({ actions, isOpen, onToggle }: Props) => (
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
      <span class="du">{formatSpan(tallyOf(actions).took)}</span>
    </button>
    {isOpen && <ActionList actions={actions} />}
  </>
);

export const ActionList = ({ actions }: { actions: readonly Action[] }) => (
  <div class="alist">
    {actions.map((action, at) => (
      <ActionRow key={at} action={action} />
    ))}
  </div>
);

const iconOf: Readonly<Record<string, IconName>> = {
  edit: "edit",
  refusal: "refuse",
  record: "note",
  fork: "fork",
  commit: "commit",
};

function ActionRow({ action }: { action: Action }) {
  const { type, path, command, written, removed, said, commit, took } = action;
  const ofCommand = action.tests ? "test" : commit ? "commit" : "terminal";
  const icon: IconName = iconOf[type] ?? ofCommand;
  return (
    <div class={type === "refusal" ? "ar no" : "ar"}>
      <Icon name={icon} />
      <code class="ell" title={type === "edit" ? path : command}>
        {type === "edit" && path !== undefined ? <EditedPath path={path} /> : <PlainText text={command} />}
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
    </div>
  );
}

/** If there is not enough room, the folders are cut, and the name of the file stays visible. */
function EditedPath({ path }: { path: string }) {
  const end = path.split("/").slice(-3).join("/");
  const name = end.slice(end.lastIndexOf("/") + 1);
  return (
    <a href={formatRoute({ view: "files", path, line: undefined })} aria-label={toVisible(end)}>
      <span class="ell">
        <PlainText text={end.slice(0, end.length - name.length)} />
      </span>
      <span>
        <PlainText text={name} />
      </span>
    </a>
  );
}

function Outcome({ action: { type, failed, exit, tests, commit } }: { action: Action }) {
  if (type === "refusal") return <span class="bad">refused by you</span>;
  if (failed) return <span class="bad">{exit === undefined ? "failed" : `failed, exit ${exit}`}</span>;
  if (tests) return <span class="okc">passed</span>;
  return commit === undefined ? null : <span class="num">{commit}</span>;
}
