import type { Hands } from "../../command.ts";
import { toMermaid } from "../../mermaid.ts";
import { NONE } from "../../model/columns.ts";
import type { Observatory } from "../../observatory.ts";
import { fetchShare } from "../../state/words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { copyText } from "./copy-button.tsx";
import { saveFile } from "./save-file.ts";

/** Creates the actions that only the page can perform: clipboard, files, focus. */
export function createHands(o: Observatory, awaitType: () => void, buildFile: BuildFile): Hands {
  const copy = async (what: string, text: string | undefined) => {
    if (text === undefined) return;
    const done = await copyText(text);
    o.tell(
      done
        ? { title: "Copied", words: `${what}.`, good: true }
        : { title: "Not copied", words: "The browser does not allow copying here." },
    );
  };
  const whole = async () => {
    const here = o.watching.peek();
    const selected = here?.selected.peek() ?? NONE;
    return here && selected !== NONE ? here.words.whole(selected) : undefined;
  };
  const titleOf = () => o.watching.peek()?.session.info.peek()?.title ?? "session";
  const save = (blob: Blob, ending: string) => saveFile(blob, `${fileName(titleOf())}.${ending}`);
  const saveHtml = async () => {
    const server = o.server.peek();
    const id = o.watching.peek()?.session.id;
    if (!server || id === undefined) return;
    const answer = await fetchShare(server.get, id);
    if (!answer) return o.tell({ title: "Not saved", words: "The server did not return the session." });
    const file = await buildFile(answer);
    if (!file) return o.tell({ title: "Not saved", words: "The server did not return the viewer." });
    save(new Blob([file], { type: "text/html" }), "html");
    const { secretsMasked } = answer;
    o.tell({ title: "Saved", words: `${secretsMasked} secrets masked.`, good: true });
  };
  const savePng = async () => {
    const picture = o.graph.peek()?.picture;
    if (!picture) return o.tell({ title: "No picture", words: "Open the graph first." });
    save(await picture(toVisible(titleOf())), "png");
  };
  const mermaid = () => {
    const here = o.watching.peek();
    if (!here) return undefined;
    const columns = here.session.columns.peek();
    here.words.want(0, columns.size - 1);
    return toMermaid(columns);
  };
  const verifyCall = () =>
    JSON.stringify({ operation: "session_verify", args: { sessionId: o.watching.peek()?.session.id } });
  return {
    copyLink: () => {
      o.navigation.settle();
      const own = o.page.peek()?.copy;
      void (own ? copy(own.words, own.text()) : copy("The link", location.href));
    },
    copyThought: () => void whole().then((found) => copy("The thought", found?.thought.thought)),
    copyJson: () => void whole().then((found) => copy("The JSON", found && JSON.stringify(found, null, 2))),
    copyMermaid: () => void copy("The Mermaid text", mermaid()),
    copyVerify: () => void copy("The call", verifyCall()),
    saveHtml: () => void saveHtml(),
    savePng: () => void savePng(),
    focusSearch: () => {
      if (o.route.peek().view === "session") o.searching.value = true;
      // The field is rendered in a microtask. Waiting a whole frame would lose the first letters of a fast typist.
      queueMicrotask(() => document.querySelector<HTMLElement>("[data-search]")?.focus());
    },
    focusFilters: () => {
      if (o.narrow.peek() || !document.querySelector<HTMLElement>(".slist button")?.offsetParent)
        o.overlay.value = "rail";
      queueMicrotask(() => document.querySelector<HTMLElement>(".slist button")?.focus());
    },
    awaitType,
    moveRow: (step) => {
      // On a board, moves within one column.
      const place = document.activeElement?.closest(".kc") ?? document;
      const rows = [...place.querySelectorAll<HTMLElement>("[data-row]")].filter((row) => row.offsetParent);
      const at = rows.indexOf(document.activeElement as HTMLElement);
      (rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step] ?? rows[at])?.focus();
    },
    moveHit: (step) => {
      const hits = [...document.querySelectorAll<HTMLElement>("[data-hit]")].filter(
        (hit) => hit.offsetParent,
      );
      const at = hits.indexOf(document.activeElement as HTMLElement);
      const next = hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length];
      // The button for a session's other hits shows them and focuses the first one.
      if (next instanceof HTMLButtonElement && step > 0) next.click();
      else next?.focus();
    },
    moveColumn: (step) => {
      const columns = [...document.querySelectorAll<HTMLElement>(".kc")];
      const at = columns.findIndex((column) => column.contains(document.activeElement));
      const ahead = step > 0 ? columns.slice(at + 1) : columns.slice(0, Math.max(0, at)).reverse();
      const next = ahead.find((column) => column.querySelector("[data-row]"));
      next?.querySelector<HTMLElement>("[data-row]")?.focus();
    },
    openFirstTask: () => {
      if (document.querySelector(".kt.on")) return;
      const first = document.querySelector<HTMLElement>(".kt");
      first?.focus();
      first?.click();
    },
  };
}

export type BuildFile = (
  answer: NonNullable<Awaited<ReturnType<typeof fetchShare>>>,
) => Promise<string | undefined>;

/** Returns a file name that every file system accepts. */
const fileName = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/[^\w]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .toLowerCase() || "session";
