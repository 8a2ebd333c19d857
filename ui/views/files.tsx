import { useEffect, useState } from "preact/hooks";
import { Notice, Reading } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { useOpened } from "../parts/basics/opened.ts";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { Segments } from "../parts/basics/segments.tsx";
import { ChangesPage, shortRange } from "../parts/files/changes.tsx";
import { FilePage } from "../parts/files/file-page.tsx";
import { ChangedFiles, FileTree } from "../parts/files/file-rail.tsx";
import { FilesStart } from "../parts/files/files-start.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import type { FilesRoute } from "../route-lists.ts";
import { createChanges } from "../state/pages/changes.ts";
import { shortCommit } from "../state/pages/files.ts";
import { createOpenFile } from "../state/pages/open-file.ts";
import type { Repository } from "../state/pages/repository.ts";
import { countOf } from "../text/count-words.ts";

/** Shows the repository's files, one file with its reasons, or the changes in a range of commits. */
export function FilesView({ route }: { route: FilesRoute }) {
  const server = useObservatory().server.value;
  const repository = server?.repository;
  useEffect(() => void repository?.refresh(), [repository]);
  if (!server || !repository) return null;
  return route.changes === undefined ? (
    <OneFile route={route} repository={repository} />
  ) : (
    <OneRange route={route} repository={repository} />
  );
}

type Props = { route: FilesRoute; repository: Repository };

function OneFile({ route, repository }: Props) {
  const o = useObservatory();
  const [attempt, setAttempt] = useState(0);
  const { path, at } = route;
  const get = o.server.value?.get;
  const file = useOpened(path && `${attempt} ${at ?? ""} ${path}`, () =>
    get && path ? createOpenFile(get, path, at) : undefined,
  );
  const { name, branch, head } = repository.summary.value?.repository ?? {};
  const shown = file?.head.value?.file ?? path;
  const names = shown?.split("/").filter((one) => one !== "") ?? [];
  return (
    <>
      <TopBar
        title={names.at(-1) ?? "Files"}
        project={name}
        within={names.slice(0, -1)}
        badge={
          at !== undefined ? (
            <span class="num">
              <PlainText text={shortCommit(at)} />
            </span>
          ) : (
            head && <span class="num">{[branch, shortCommit(head)].filter(Boolean).join(" ")}</span>
          )
        }
      >
        {name !== undefined && <FileTabs chosen="file" route={route} file={shown} />}
      </TopBar>
      <Rail on="file">
        <FileTree chosen={shown} />
      </Rail>
      {path === undefined ? (
        <FilesStart />
      ) : file ? (
        <FilePage
          key={`${file.at} ${file.path}`}
          file={file}
          route={route}
          onAgain={() => setAttempt(attempt + 1)}
        />
      ) : (
        <main class="page" id="main" />
      )}
    </>
  );
}

function OneRange({ route, repository }: Props) {
  const o = useObservatory();
  const [attempt, setAttempt] = useState(0);
  const [seen, setSeen] = useState<string>();
  const summary = repository.summary.value;
  const range = route.changes || summary?.repository?.range;
  const get = o.server.value?.get;
  const changes = useOpened(range && `${attempt} ${range}`, () =>
    get && range ? createChanges(get, range) : undefined,
  );
  const [from, to = ""] = range?.split(/\.{2,3}/) ?? [];
  const commits = changes?.summary.value?.commits;
  const chosen = seen ?? route.path ?? changes?.summary.value?.files[0];
  return (
    <>
      <TopBar
        title={range === undefined ? "Changes" : shortRange(to || range)}
        project={summary?.repository?.name}
        badge={
          commits !== undefined &&
          from && (
            <span class="num">
              {countOf(commits, "commit")}
              {to && ` since ${shortRange(from)}`}
            </span>
          )
        }
      >
        <FileTabs chosen="changes" route={route} file={chosen} />
      </TopBar>
      <Rail on="file">
        {changes ? (
          <ChangedFiles
            changes={changes}
            chosen={chosen}
            onChoose={(file) => {
              setSeen(file);
              document.querySelector(`[data-file="${CSS.escape(file)}"]`)?.scrollIntoView();
            }}
          />
        ) : (
          <div class="slist" />
        )}
      </Rail>
      {changes ? (
        <ChangesPage
          key={changes.range}
          changes={changes}
          route={route}
          onFile={setSeen}
          onAgain={() => setAttempt(attempt + 1)}
        />
      ) : (
        <main class="page" id="main" tabIndex={-1}>
          {summary === undefined ? (
            <Reading rows={2} />
          ) : summary.repository ? (
            <Notice title="No commits to compare">This repository has only one commit.</Notice>
          ) : (
            <Notice title="No repository here">Thoughtbox finds reasons through git history.</Notice>
          )}
        </main>
      )}
    </>
  );
}

type TabsProps = { chosen: "file" | "changes"; route: FilesRoute; file: string | undefined };

/** Switches between the file and the changes of the branch. */
function FileTabs({ chosen, route, file }: TabsProps) {
  const { navigation } = useObservatory();
  const tab = (icon: "file" | "fork", words: string) => (
    <>
      <Icon name={icon} />
      <span>{words}</span>
    </>
  );
  return (
    <Segments
      label="View"
      chosen={chosen}
      onChoose={(name) => {
        if (name === chosen) return;
        navigation.go({
          ...route,
          path: file,
          line: undefined,
          to: undefined,
          at: undefined,
          changes: name === "changes" ? "" : undefined,
        });
      }}
      segments={[
        { name: "file", title: "File", words: tab("file", "File") },
        { name: "changes", title: "Changes", words: tab("fork", "Changes") },
      ]}
    />
  );
}
