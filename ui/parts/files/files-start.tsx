import { useEffect } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { FilesRoute } from "../../route-lists.ts";
import type { RecentFile } from "../../state/pages/repository.ts";
import { agoWords } from "../../text/time-words.ts";
import { Notice, Reading, Unreadable } from "../basics/banner.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ShareMeter } from "./file-rail.tsx";

/** Shows the start of the Files page: a field for a path, and the files that sessions changed. */
export function FilesStart() {
  const repository = useObservatory().server.value?.repository;
  const summary = repository?.summary.value;
  const failed = repository?.failure.value;
  return (
    <main class="page" id="main" tabIndex={-1}>
      {summary?.repository ? (
        <div class="fst">
          <PathField />
          {summary.recent.length > 0 ? (
            <Recent files={summary.recent} />
          ) : (
            <Notice title="No files with reasons yet">
              Files appear here when imported sessions change them. You can open other files too.
            </Notice>
          )}
          <Keys
            keys={[
              ["/", "path or range"],
              ["j k", "file"],
              ["↵", "open"],
            ]}
          />
        </div>
      ) : summary ? (
        <Notice title="No repository here">
          Thoughtbox finds reasons through git history. To see files, start Thoughtbox in a repository.
        </Notice>
      ) : failed ? (
        <Unreadable what="the repository" words={failed.message} onAgain={() => void repository?.refresh()} />
      ) : (
        <Reading rows={2} />
      )}
    </main>
  );
}

function Recent({ files }: { files: readonly RecentFile[] }) {
  const now = useNow();
  const repository = useObservatory().server.value?.repository;
  const paths = files.map(({ path }) => path).join("\n");
  useEffect(() => repository?.wantShares(paths.split("\n")), [repository, paths]);
  const shares = repository?.shares.value;
  return (
    <section>
      <h2 class="h">
        Recently changed <span class="r">lines with a reason</span>
      </h2>
      {files.map(({ path, at, sessionId, title }) => {
        const share = shares?.get(path);
        return (
          <div key={path} class="rf">
            <Icon name="file" size={14} />
            <a class="rfp" href={formatRoute({ view: "files", path, line: undefined })} title={path} data-row>
              <PlainText text={path} />
            </a>
            {title !== undefined && (
              <a class="rfs dim" href={formatRoute(sessionRoute(sessionId))}>
                <PlainText text={title} />
              </a>
            )}
            <span class="num">{agoWords(Date.parse(at), now)}</span>
            {typeof share === "object" ? <ShareMeter share={share} files={1} /> : <span class="ft-none" />}
          </div>
        );
      })}
    </section>
  );
}

/** Accepts `main...HEAD`, but not a path such as `../src`. */
const isRange = (text: string): boolean => /(?<![/.\s])\.{2,3}(?![/.\s])/.test(text);

/** Parses what the user entered: a range of commits, or the path of a file. */
export function parsePlace(text: string): FilesRoute | undefined {
  const asked = text.trim();
  if (asked === "") return undefined;
  if (isRange(asked)) return { view: "files", path: undefined, line: undefined, changes: asked };
  const [, path = asked, line] = /^(.+?):(\d{1,7})(?:-\d+)?$/.exec(asked) ?? [];
  return { view: "files", path, line: line === undefined ? undefined : Number(line) };
}

function PathField() {
  const { navigation } = useObservatory();
  return (
    <form
      class="path-field"
      onSubmit={(event) => {
        event.preventDefault();
        const route = parsePlace(String(new FormData(event.currentTarget).get("path") ?? ""));
        if (route) navigation.go(route);
      }}
    >
      <label class="field">
        <Icon name="search" />
        <input
          name="path"
          aria-label="File path or commit range"
          placeholder="src/pool.ts, src/pool.ts:41 or main...HEAD"
          data-search
          maxLength={1000}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
      </label>
      <button type="submit" class="btn">
        Open
      </button>
    </form>
  );
}
