import { useEffect } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { FilesRoute } from "../../route-lists.ts";
import { nameOf, shortCommit } from "../../state/pages/files.ts";
import type { FileBlock, FileHead, OpenFile } from "../../state/pages/open-file.ts";
import { countOf, formatCount, formatSize } from "../../text/count-words.ts";
import { Notice, Reading, Unreadable } from "../basics/banner.tsx";
import { CommandBox } from "../basics/command-box.tsx";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { Code, languageOf } from "./code.tsx";
import { typeOf } from "./file-block.tsx";
import { FileLines } from "./file-lines.tsx";
import { FolderFiles } from "./folder-files.tsx";
import { ReasonPanel } from "./reason-panel.tsx";
import { ShareBar } from "./share-bar.tsx";

type Props = { file: OpenFile; route: FilesRoute; onAgain: () => void };

/** Shows a file with the reason for each line in its margin. */
export function FilePage({ file, route, onAgain }: Props) {
  const head = file.head.value;
  const failed = file.failure.value;
  if (failed || !head)
    return (
      <main class="page" id="main" tabIndex={-1}>
        {!failed ? (
          <Reading rows={3} />
        ) : failed.kind === "binary" ? (
          <Notice title="Not a text file">Thoughtbox finds reasons only for lines of text.</Notice>
        ) : failed.kind === "folder" ? (
          <FolderFiles path={file.path} />
        ) : failed.status === 404 ? (
          <Notice
            title="File not found"
            action={
              <a class="btn" href={formatRoute({ view: "files", path: undefined, line: undefined })}>
                All files
              </a>
            }
          >
            The repository has no <PlainText text={file.path} />
            {file.at !== undefined && " in this commit"}.
          </Notice>
        ) : (
          <Unreadable what="the file" words={failed.message} onAgain={onAgain} />
        )}
      </main>
    );
  if (head.isTooLarge)
    return (
      <main class="page" id="main" tabIndex={-1}>
        <Notice
          title="Too large to show"
          action={<CommandBox text={`thoughtbox why ${shellWord(`${head.file}:1-40`)}`} />}
        >
          The file has {formatCount(head.total)} lines ({formatSize(head.chars)}). To explain some of them,
          run:
        </Notice>
      </main>
    );
  return <Shown file={file} head={head} route={route} />;
}

const shellWord = (word: string): string =>
  /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function Shown({ file, head, route }: Omit<Props, "onAgain"> & { head: FileHead }) {
  const o = useObservatory();
  const { line, to } = route;
  const here: FilesRoute = { view: "files", path: route.path, line: undefined, at: route.at };
  const near =
    line === undefined ? undefined : file.windows().find((one) => one.from <= line && one.to >= line);
  const chosen = near && file.blocksIn(near).find((one) => one.from <= (line ?? 0) && one.to >= (line ?? 0));
  const marked = line === undefined ? undefined : { from: line, to: Math.max(line, to ?? line) };
  /**
   * If `focused` is set, the block of that line gets the focus, so that screen readers read it and Enter acts
   * on it.
   */
  const choose = (lines: Pick<FilesRoute, "line" | "to">, focused?: number) => {
    o.navigation.go({ view: "files", path: route.path, at: route.at, ...lines });
    if (focused !== undefined) requestAnimationFrame(() => focusBlock(file, focused));
  };
  const openThought = () => {
    const reason = chosen && file.reasons.peek().get(chosen.from);
    const named = nameOf(reason?.because?.thought ?? chosen?.writer?.thought ?? "");
    if (named)
      o.navigation.go(
        sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
      );
  };
  useEffect(() => {
    o.page.value = {
      move: (step) => {
        const block = nextBlock(file, chosen, step);
        if (block) choose(linesOf(block), block.from);
      },
      line: (step) => {
        const next = nextLine(route, step);
        if (next >= 1 && next <= head.total) choose({ line: next }, next);
      },
      open: openThought,
    };
    return () => {
      o.page.value = undefined;
    };
  });
  const began = o.server.value?.repository.summary.value?.began;
  return (
    <main class={chosen ? "fw with-panel" : "fw"} id="main" tabIndex={-1}>
      <div class="fwh">
        {head.deleted ? (
          <p>
            <b>This file was deleted</b> by {head.deleted.sha.slice(0, 7)}{" "}
            <PlainText text={head.deleted.subject} />. These are its last lines.
          </p>
        ) : (
          <Coverage file={file} head={head} />
        )}
        {file.at !== undefined && (
          <p class="past" role="status">
            <span>
              As of{" "}
              <span class="mono">
                <PlainText text={shortCommit(file.at)} />
              </span>
            </span>
            <a class="lnk" href={formatRoute({ ...here, at: undefined })}>
              Show newest
            </a>
          </p>
        )}
      </div>
      {head.deleted ? (
        <Deleted head={head} />
      ) : (
        <FileLines
          file={file}
          chosen={chosen}
          marked={marked}
          began={began === undefined ? undefined : Date.parse(began)}
          hrefOf={(block) => formatRoute({ ...here, ...linesOf(block) })}
          onLine={(line) => choose({ line })}
          onOpen={openThought}
        />
      )}
      {chosen && (
        <ReasonPanel
          path={file.path}
          block={chosen}
          line={to === undefined ? line : undefined}
          at={file.at}
          close={formatRoute(here)}
        />
      )}
    </main>
  );
}

const linesOf = ({ from, to }: FileBlock): Pick<FilesRoute, "line" | "to"> => ({
  line: from,
  ...(to > from && { to }),
});

/** Returns the next or previous line. If a block is selected, returns its first or last line. */
function nextLine({ line, to }: FilesRoute, step: 1 | -1): number {
  if (line === undefined) return 1;
  if (to === undefined) return line + step;
  return step > 0 ? line : to;
}

function focusBlock(file: OpenFile, line: number) {
  const window = file.windows().find(({ from, to }) => from <= line && to >= line);
  const block = window && file.blocksIn(window).find(({ from, to }) => from <= line && to >= line);
  if (block) document.getElementById(`block-${block.from}`)?.focus({ preventScroll: true });
}

/** Returns the next or previous block. Skips windows of a long file whose blocks were not requested yet. */
function nextBlock(file: OpenFile, chosen: FileBlock | undefined, step: 1 | -1): FileBlock | undefined {
  const blocks = file.windows().flatMap(file.blocksIn);
  if (!chosen) return step > 0 ? blocks[0] : blocks.at(-1);
  return blocks[blocks.findIndex(({ from }) => from === chosen.from) + step];
}

/** Shows how many lines have a reason, as words and as a bar. */
function Coverage({ file, head }: { file: OpenFile; head: FileHead }) {
  const blocks = file.windows().flatMap(file.blocksIn);
  const reasons = file.reasons.value;
  const written = blocks.flatMap(({ writer, from, to }) =>
    writer ? [{ writer, lines: to - from + 1 }] : [],
  );
  const lines = written.reduce((sum, one) => sum + one.lines, 0);
  const sessions = new Set(written.map(({ writer }) => writer.sessionId)).size;
  const total = countOf(head.total, "line");
  return (
    <>
      <div class="cov">
        {head.isLong ? (
          <p>
            <b>{total}</b>, loaded in parts. Reasons appear for the lines in view.
          </p>
        ) : (
          <p>
            <b>
              {file.isComplete.value ? formatCount(lines) : "–"} of {total}
            </b>{" "}
            {head.total === 1 ? "has" : "have"} a reason
            {sessions > 0 && <>, from {countOf(sessions, "session")}</>}.
          </p>
        )}
        {!head.isLong && (
          <ShareBar
            stretches={blocks.map((block) => ({
              lines: block.to - block.from + 1,
              type: block.writer && (typeOf(block, reasons.get(block.from)) ?? "N"),
            }))}
          />
        )}
      </div>
      <span class="surel">
        <i class="bar-sure" /> sure <i class="bar-likely" /> likely <i class="bar-commit" /> by commit
      </span>
    </>
  );
}

const Deleted = ({ head }: { head: FileHead }) => (
  <pre class="gone-file" tabIndex={0} role="group" aria-label="The last lines of the file">
    {head.gone.map(({ number, text }) => (
      <span key={number} class="fl-line del">
        <span class="fno" aria-hidden="true">
          {number}
        </span>
        − <Code text={text} language={languageOf(head.file)} />
        {"\n"}
      </span>
    ))}
  </pre>
);
