import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { showKey } from "../../keys.ts";
import { type Group, paletteResults, type Result } from "../../palette-results.ts";
import { createSearch } from "../../state/search.ts";
import { formatCount } from "../../text/count-words.ts";
import { Chip } from "../basics/chip.tsx";
import { usePage } from "../basics/context.ts";
import { Dialog } from "../basics/dialog.tsx";
import { Icon, type IconName } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { isMac } from "../basics/platform.ts";

/** Shows search and commands in one field. */
export function Palette() {
  const { observatory: o, commands } = usePage();
  const typed = useSignal("");
  const chosen = useSignal(0);
  const server = o.server.value;
  const wanted = useComputed(() => (/^[>@#]/.test(typed.value.trim()) ? "" : typed.value));
  const search = useMemo(
    () => server && createSearch({ ...o.environment, get: server.get }, wanted),
    [o, server, wanted],
  );
  useEffect(() => search?.stop, [search]);
  const groups = useComputed(() =>
    paletteResults(o, commands, typed.value, search?.found.value ?? { hits: [], hasMore: false }),
  ).value;
  const results = groups.flatMap((group) => group.results);
  const at = Math.min(chosen.value, results.length - 1);

  const run = (result: Result | undefined, isBeside: boolean) => {
    if (!result) return;
    o.overlay.value = "none";
    o.settings.used.value = {
      ...o.settings.used.peek(),
      [result.id]: (o.settings.used.peek()[result.id] ?? 0) + 1,
    };
    if (isBeside && result.beside) result.beside();
    else result.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      chosen.value = results.length === 0 ? 0 : (at + step + results.length) % results.length;
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(results[at], event.metaKey || event.ctrlKey);
    }
  };
  return (
    <Dialog label="Command palette" kind="pal">
      <div class="in">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or jump"
          aria-expanded="true"
          aria-controls="palette-results"
          aria-activedescendant={results[at] ? `option-${at}` : undefined}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={typed.value}
          placeholder="Search or jump"
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={press}
        />
      </div>
      <div id="palette-results" class="results" role="listbox" aria-label="Results">
        {groups.map((group, before) => (
          <GroupView
            key={group.name}
            group={group}
            from={groups.slice(0, before).reduce((sum, { results: own }) => sum + own.length, 0)}
            chosen={at}
            mark={typed.value}
            onRun={(result) => run(result, false)}
          />
        ))}
      </div>
      {results.length === 0 && <p class="none">No matches.</p>}
      <div class="ft" aria-hidden="true">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>
          <kbd>{isMac() ? "⌘" : "Ctrl"}</kbd>
          <kbd>↵</kbd> open beside
        </span>
        <span>
          <kbd>#</kbd> number
        </span>
        <span>
          <kbd>&gt;</kbd> commands only
        </span>
      </div>
    </Dialog>
  );
}

type GroupProps = {
  group: Group;
  from: number;
  chosen: number;
  mark: string;
  onRun: (result: Result) => void;
};

const GroupView = ({ group, from, chosen, mark, onRun }: GroupProps) => (
  <div role="group" aria-label={group.name}>
    <p class="group">{group.name}</p>
    {group.results.map((result, at) => (
      <div
        key={result.id}
        id={`option-${from + at}`}
        class={from + at === chosen ? "r on" : "r"}
        role="option"
        aria-selected={from + at === chosen}
        onClick={() => onRun(result)}
      >
        {result.type ? <Chip type={result.type} /> : <Icon name={(result.icon ?? "arrow") as IconName} />}
        <span class="tx">
          <PlainText text={result.words} mark={mark.trim()} />
        </span>
        {result.sub !== undefined && (
          <span class="sub">
            <PlainText text={result.sub} />
          </span>
        )}
        {result.keys?.map((key) => (
          <kbd key={key}>{showKey(key, isMac())}</kbd>
        ))}
      </div>
    ))}
    {group.more > 0 && (
      <div class="rest" role="presentation">
        {formatCount(group.more)}
        {group.hasUncounted && "+"} more
      </div>
    )}
  </div>
);
