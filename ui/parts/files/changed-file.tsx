import { useState } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import type { Failed } from "../../state/http.ts";
import { type ChangedFile, FIRST_LINES, isRead } from "../../state/pages/changes.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { HunkView } from "./hunk.tsx";

/** How many hunks of a file are shown at first. */
const FEW = 8;

type FileProps = {
  name: string;
  file: ChangedFile | Failed | undefined;
  /** The number of lines added to a large file, which is read only if the user asks for it. */
  size: number | undefined;
  onFirst: () => Promise<void>;
};

/** Shows what a range changed in one file. */
export function FileCard({ name, file, size, onFirst }: FileProps) {
  const [isWhole, setWhole] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const hunks = isRead(file) ? file.hunks : [];
  if (isRead(file) && hunks.length === 0) return null;
  const added = size ?? (isRead(file) ? file.added : 0);
  const shown = isWhole || hunks.length <= FEW + 1 ? hunks : hunks.slice(0, FEW);
  const rest = hunks.slice(shown.length);
  const explained = rest.filter(({ by }) => by).length;
  return (
    <section class="chf" data-file={name}>
      <h2>
        <Icon name="file" size={14} />
        <a href={formatRoute({ view: "files", path: name, line: undefined })}>
          <PlainText text={name} />
        </a>
        {isRead(file) && file.deleted && <span class="dim">deleted</span>}
        <span class="added">{added > 0 && `+${formatCount(added)}`}</span>
        {isRead(file) && file.removed > 0 && <span class="bad">−{formatCount(file.removed)}</span>}
      </h2>
      {file === undefined && size !== undefined && !isAsked && (
        <p class="chnote">
          {countOf(size, "added line")}, not shown ·{" "}
          <button
            type="button"
            class="more"
            onClick={() => {
              setAsked(true);
              void onFirst();
            }}
          >
            Show the first {FIRST_LINES}
          </button>
        </p>
      )}
      {file === undefined && (size === undefined || isAsked) && (
        <div class="loading" role="status" aria-label={`Reading ${name}`} />
      )}
      {file && !isRead(file) && <p class="chnote">{file.message}</p>}
      {isRead(file) && shown.map((hunk, at) => <HunkView key={at} hunk={hunk} file={file} />)}
      {rest.length > 0 && (
        <button type="button" class="more chmore" onClick={() => setWhole(true)}>
          {countOf(rest.length, "more hunk")},{" "}
          {explained === rest.length ? "all with a reason" : `${formatCount(explained)} with a reason`}
        </button>
      )}
      {isRead(file) && size !== undefined && size > file.added && (
        <p class="chnote">
          {countOf(size - file.added, "more added line")}, not shown ·{" "}
          <a class="lnk" href={formatRoute({ view: "files", path: name, line: undefined })}>
            Open the file
          </a>
        </p>
      )}
      {isRead(file) && file.moreHunks !== undefined && (
        <p class="chnote">{countOf(file.moreHunks, "more hunk")}, not shown.</p>
      )}
    </section>
  );
}
