import { useEffect, useState } from "preact/hooks";
import { Notice, Reading, Unreadable } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { Keys } from "../parts/basics/key-line.tsx";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { saveFile } from "../parts/basics/save-file.ts";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { CellView } from "../parts/notebooks/cell.tsx";
import { CellPanel } from "../parts/notebooks/cell-panel.tsx";
import { useEarlier } from "../parts/notebooks/earlier.ts";
import { useInView } from "../parts/notebooks/in-view.ts";
import { NotebookRail } from "../parts/notebooks/notebook-rail.tsx";
import { formatRoute, sessionRoute } from "../route.ts";
import type { NotebooksRoute } from "../route-lists.ts";
import type { Fetched } from "../state/http.ts";
import { nameOf } from "../state/pages/files.ts";
import {
  type Notebook,
  type NotebookList,
  readNotebook,
  readNotebooks,
  readSource,
} from "../state/pages/notebooks.ts";
import { projectOf } from "../state/sessions.ts";
import { countOf } from "../text/count-words.ts";
import { formatMoment } from "../text/time-words.ts";

const AGAIN = 10_000;
const AGAIN_OPEN = 3_000;
const AGAIN_AT_WORK = 1_000;

/** Returns the pause between reads: shorter for the open notebook, shortest while cells run or wait. */
const pauseAfter = (fetched: Fetched<Notebook>): number =>
  "answer" in fetched && fetched.answer.cells.some(({ state }) => state === "running" || state === "queued")
    ? AGAIN_AT_WORK
    : AGAIN_OPEN;

/** Reads now, and then every few seconds while the component is shown. `again` reads immediately. */
function useReading<Answer>(
  key: string,
  read: (abort: AbortSignal) => Promise<Fetched<Answer>> | undefined,
  pause: (fetched: Fetched<Answer>) => number = () => AGAIN,
) {
  const { environment } = useObservatory();
  const [fetched, setFetched] = useState<{ key: string; is: Fetched<Answer> }>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let cancel = () => {};
    const round = async () => {
      const is = await read(abort.signal);
      if (abort.signal.aborted || !is) return;
      // If the server cannot be reached, the last answer stays on the page.
      setFetched((before) =>
        "failed" in is && before?.key === key && "answer" in before.is ? before : { key, is },
      );
      cancel = environment.after(pause(is), () => void round());
    };
    void round();
    return () => {
      cancel();
      abort.abort();
    };
  }, [key, attempt]);
  return { fetched: fetched?.key === key ? fetched.is : undefined, again: () => setAttempt(attempt + 1) };
}

/** Shows the notebooks of all projects, and the open one. Read-only, because only agents run cells. */
export function NotebooksView({ route }: { route: NotebooksRoute }) {
  const o = useObservatory();
  const get = o.server.value?.get;
  const list = useReading<NotebookList>("list", (abort) => (get ? readNotebooks(get, abort) : undefined));
  const lines = list.fetched && "answer" in list.fetched ? list.fetched.answer.notebooks : undefined;
  const total = list.fetched && "answer" in list.fetched ? list.fetched.answer.total : 0;
  const chosen = route.notebook ?? lines?.[0]?.id;
  const read = useReading<Notebook>(
    `one ${chosen ?? ""}`,
    (abort) => (get && chosen !== undefined ? readNotebook(get, chosen, abort) : undefined),
    pauseAfter,
  );
  const notebook = read.fetched && "answer" in read.fetched ? read.fetched.answer : undefined;
  const failed = [list, read].find(({ fetched }) => fetched && "failed" in fetched);
  const exportSource = async (id: string) => {
    const fetched = get && (await readSource(get, id));
    if (fetched && "answer" in fetched)
      saveFile(new Blob([fetched.answer.content], { type: "text/markdown" }), fetched.answer.filename);
    else o.tell({ title: "Not saved", words: fetched?.failed.message ?? "There is no server." });
  };
  return (
    <>
      <TopBar
        title={notebook?.title ?? "Notebooks"}
        project={notebook && projectOf(notebook)}
        within={notebook ? ["Notebooks"] : []}
        acts={
          notebook && (
            <button
              type="button"
              class="btn share-button"
              title="Save as .src.md"
              onClick={() => void exportSource(notebook.id)}
            >
              <Icon name="share" />
              Export
            </button>
          )
        }
      />
      <Rail on="notebook">
        <NotebookRail lines={lines ?? []} total={total} chosen={chosen} />
      </Rail>
      {notebook ? (
        <Shown notebook={notebook} route={route} />
      ) : (
        <main class="page" id="main" tabIndex={-1}>
          {failed === read &&
          failed.fetched &&
          "failed" in failed.fetched &&
          failed.fetched.failed.status === 404 ? (
            <Notice
              title="Notebook not found"
              action={
                <a
                  class="btn"
                  href={formatRoute({ view: "notebooks", notebook: undefined, cell: undefined })}
                >
                  All notebooks
                </a>
              }
            >
              It may be in another project or in the trash.
            </Notice>
          ) : failed?.fetched && "failed" in failed.fetched ? (
            <Unreadable
              what={failed === read ? "the notebook" : "the notebooks"}
              words={failed.fetched.failed.message}
              onAgain={failed.again}
            />
          ) : lines?.length === 0 ? (
            <Notice title="No notebooks yet">Agents create notebooks to test claims by running code.</Notice>
          ) : (
            <Reading rows={3} />
          )}
        </main>
      )}
    </>
  );
}

function Shown({ notebook, route }: { notebook: Notebook; route: NotebooksRoute }) {
  const now = useNow();
  const o = useObservatory();
  const { id, title, cells, language, updatedAt } = notebook;
  const chosen = cells.find(
    (one) => one.id === route.cell || (route.cell !== undefined && one.filename === route.cell),
  );
  const { history, earlier } = useEarlier(id, chosen, route);
  const recorded = notebook.recorded.filter(({ cellId }) => cellId === chosen?.id);
  const version = earlier?.version ?? chosen?.version ?? 0;
  const run = earlier ? earlier.run : chosen?.run;
  const select = (cell: string, more: Pick<NotebooksRoute, "version"> = {}) =>
    o.navigation.go({ view: "notebooks", notebook: id, cell, ...more });
  useEffect(() => {
    o.page.value = {
      move: (step) => {
        const code = cells.filter(({ type }) => type !== "markdown");
        const at = chosen ? code.indexOf(chosen) : -1;
        const next = code[at < 0 ? (step > 0 ? 0 : code.length - 1) : at + step];
        if (next) select(next.id);
      },
      version: (step) => {
        const next = version + step;
        if (!chosen || next < 1 || next > chosen.version) return;
        select(chosen.id, next === chosen.version ? {} : { version: next });
      },
      open: () => {
        const named = nameOf((recorded.find((one) => one.run === run?.at) ?? recorded[0])?.thought ?? "");
        if (named)
          o.navigation.go(
            sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
          );
      },
    };
    return () => {
      o.page.value = undefined;
    };
  });
  const scroller = useInView(chosen && `cell-${chosen.id}`);
  const sandbox = cells.findLast((one) => one.run?.sandbox !== undefined)?.run?.sandbox;
  const session = notebook.recorded[0];
  return (
    <main class={chosen ? "nb with-panel" : "nb"} id="main" tabIndex={-1}>
      <section class="cells" aria-label="Cells" tabIndex={0} ref={scroller}>
        <div class="nbh">
          <h2>
            <PlainText text={title} />
          </h2>
          <span class="meta">
            {countOf(cells.length, "cell")} <span class="sep">·</span> {language} <span class="sep">·</span>{" "}
            {formatMoment(updatedAt, now)}
            {sandbox !== undefined && (
              <>
                {" "}
                <span class="sep">·</span> sandbox {sandbox}
              </>
            )}
            {session && (
              <>
                {" "}
                <span class="sep">·</span>{" "}
                <a class="lnk ell" href={formatRoute(sessionRoute(session.thought.split(":")[0] ?? ""))}>
                  <PlainText text={session.title} />
                </a>
              </>
            )}
          </span>
        </div>
        {cells.length === 0 && <p class="dim">This notebook has no cells yet.</p>}
        {cells.map((one, at) => (
          <CellView
            key={one.id}
            notebook={id}
            cell={one}
            number={at + 1}
            isOn={one === chosen}
            recorded={notebook.recorded.filter(({ cellId }) => cellId === one.id)}
            earlier={one === chosen ? earlier : undefined}
          />
        ))}
        {!chosen && cells.length > 0 && <Keys keys={[["j k", "cell"]]} />}
      </section>
      {chosen && (
        <CellPanel
          notebook={id}
          cell={chosen}
          number={cells.indexOf(chosen) + 1}
          cells={cells}
          recorded={recorded}
          history={history}
          version={version}
          run={run}
        />
      )}
    </main>
  );
}
