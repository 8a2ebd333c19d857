import { useEffect, useState } from "preact/hooks";
import { Notice } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useObservatory } from "../parts/basics/context.ts";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { CellView } from "../parts/notebooks/cell.tsx";
import { CellPanel } from "../parts/notebooks/cell-panel.tsx";
import { formatRoute } from "../route.ts";
import type { NotebooksRoute } from "../route-lists.ts";
import type { Fetched } from "../state/http.ts";
import {
  type Notebook,
  type NotebookLine,
  type NotebookList,
  readNotebook,
  readNotebooks,
} from "../state/pages/notebooks.ts";
import { countOf } from "../text/count-words.ts";
import { formatMoment } from "../text/time-words.ts";

const AGAIN = 10_000;

/** Reads something now, and every few seconds while it is shown. */
function useReading<Answer>(key: string, read: (abort: AbortSignal) => Promise<Fetched<Answer>> | undefined) {
  const { environment } = useObservatory();
  const [fetched, setFetched] = useState<{ key: string; is: Fetched<Answer> }>();
  useEffect(() => {
    const abort = new AbortController();
    let cancel = () => {};
    const round = async () => {
      const is = await read(abort.signal);
      if (abort.signal.aborted || !is) return;
      setFetched({ key, is });
      cancel = environment.after(AGAIN, () => void round());
    };
    void round();
    return () => {
      cancel();
      abort.abort();
    };
  }, [key]);
  return fetched?.key === key ? fetched.is : undefined;
}

/** The notebooks of all projects, and the open one. Read-only, because only agents run cells. */
export function NotebooksView({ route }: { route: NotebooksRoute }) {
  const get = useObservatory().server.value?.get;
  const list = useReading<NotebookList>("list", (abort) => (get ? readNotebooks(get, abort) : undefined));
  const lines = list && "answer" in list ? list.answer.notebooks : undefined;
  const chosen = route.notebook ?? lines?.[0]?.id;
  const read = useReading<Notebook>(`one ${chosen ?? ""}`, (abort) =>
    get && chosen !== undefined ? readNotebook(get, chosen, abort) : undefined,
  );
  const notebook = read && "answer" in read ? read.answer : undefined;
  const failed = [list, read].flatMap((one) => (one && "failed" in one ? [one.failed.message] : []))[0];
  return (
    <>
      <TopBar title={notebook?.title ?? "Notebooks"} project={notebook?.project} />
      <Rail on="notebook">
        <NotebookRail lines={lines ?? []} chosen={chosen} />
      </Rail>
      {notebook ? (
        <Shown notebook={notebook} cell={route.cell} />
      ) : (
        <main class="page" id="main" tabIndex={-1}>
          {failed !== undefined ? (
            <Notice title="Could not read the notebooks">{failed}</Notice>
          ) : (
            lines?.length === 0 && (
              <Notice title="No notebooks yet">Agents create one to test a claim by running code.</Notice>
            )
          )}
        </main>
      )}
    </>
  );
}

function NotebookRail({ lines, chosen }: { lines: readonly NotebookLine[]; chosen: string | undefined }) {
  const now = useNow();
  const projects = [...new Set(lines.map(({ project }) => project))];
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Notebooks">
      {projects.map((project) => (
        <div key={project}>
          <h2 class="sgroup eyebrow">
            <PlainText text={project} />
          </h2>
          {lines
            .filter((line) => line.project === project)
            .map(({ id, title, cellCount, stale, interrupted, updatedAt }) => (
              <a
                key={id}
                class={id === chosen ? "nrow on" : "nrow"}
                href={formatRoute({ view: "notebooks", notebook: id, cell: undefined })}
                aria-current={id === chosen ? "true" : undefined}
              >
                <b>
                  <PlainText text={title} />
                </b>
                <span class="meta">
                  {countOf(cellCount, "cell")} <span class="sep">·</span>
                  {interrupted > 0 ? (
                    <span class="bad">{interrupted} interrupted</span>
                  ) : stale > 0 ? (
                    <span class="warnc">{stale} stale</span>
                  ) : (
                    formatMoment(updatedAt, now)
                  )}
                </span>
              </a>
            ))}
        </div>
      ))}
    </div>
  );
}

function Shown({ notebook, cell }: { notebook: Notebook; cell: string | undefined }) {
  const now = useNow();
  const { id, title, cells, language, updatedAt } = notebook;
  const shown = cells.filter(({ type }) => type !== "title");
  const chosen = shown.find((one) => one.id === cell || (cell !== undefined && one.filename === cell));
  useEffect(() => {
    if (chosen) document.getElementById(`cell-${chosen.id}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen?.id]);
  return (
    <main class={chosen ? "nb with-panel" : "nb"} id="main">
      <section class="cells" aria-label="Cells" tabIndex={0}>
        <div class="nbh">
          <h2>
            <PlainText text={title} />
          </h2>
          <span class="meta">
            {countOf(shown.length, "cell")} <span class="sep">·</span> {language} <span class="sep">·</span>{" "}
            {formatMoment(updatedAt, now)}
          </span>
        </div>
        {shown.map((one, at) => (
          <CellView key={one.id} notebook={id} cell={one} number={at + 1} isOn={one === chosen} />
        ))}
      </section>
      {chosen && (
        <CellPanel
          notebook={id}
          cell={chosen}
          cells={shown}
          close={formatRoute({ view: "notebooks", notebook: id, cell: undefined })}
        />
      )}
    </main>
  );
}
