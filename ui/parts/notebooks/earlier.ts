import { useEffect, useState } from "preact/hooks";
import type { NotebooksRoute } from "../../route-lists.ts";
import {
  type CellHistory,
  type NotebookCell,
  type NotebookRun,
  readHistory,
  readRun,
} from "../../state/pages/notebooks.ts";
import { useObservatory } from "../basics/context.ts";
import type { Earlier } from "./cell.tsx";

type Found = {
  /** The cell's history, or `undefined` while it is being read. */
  history: CellHistory | undefined;
  /** Set if the address names an older version or run than the newest. */
  earlier: Earlier | undefined;
};

/** Returns the versions and runs of a cell, and the one that the address names. */
export function useEarlier(
  notebook: string,
  cell: NotebookCell | undefined,
  { version, run }: Pick<NotebooksRoute, "version" | "run">,
): Found {
  const get = useObservatory().server.value?.get;
  const [history, setHistory] = useState<CellHistory>();
  const [ran, setRan] = useState<NotebookRun>();
  const id = cell?.id;
  useEffect(() => {
    if (!get || id === undefined) return;
    const abort = new AbortController();
    void readHistory(get, notebook, id, abort.signal).then((fetched) => {
      if (!abort.signal.aborted && "answer" in fetched) setHistory(fetched.answer);
    });
    return () => abort.abort();
  }, [get, notebook, id, cell?.version, cell?.run?.at, cell?.state]);
  const known = history?.cellId === id ? history : undefined;
  const line = known?.runs.find((one) => (run === undefined ? one.version === version : one.at === run));
  const wanted = run ?? line?.at;
  const shown = version ?? line?.version;
  const isNewest =
    shown === undefined || (shown === cell?.version && (wanted ?? cell.run?.at) === cell.run?.at);
  useEffect(() => {
    if (!get || id === undefined || wanted === undefined || isNewest) return;
    const abort = new AbortController();
    void readRun(get, notebook, id, wanted, abort.signal).then((fetched) => {
      if (!abort.signal.aborted && "answer" in fetched) setRan(fetched.answer.run);
    });
    return () => abort.abort();
  }, [get, notebook, id, wanted, isNewest]);
  const old = known?.versions.find((one) => one.version === shown);
  if (!cell || isNewest || !old) return { history: known, earlier: undefined };
  return {
    history: known,
    earlier: { version: old.version, text: old.text ?? "", run: ran?.at === wanted ? ran : undefined },
  };
}
