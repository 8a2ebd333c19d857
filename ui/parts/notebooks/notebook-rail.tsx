import { formatRoute } from "../../route.ts";
import type { NotebookLine } from "../../state/pages/notebooks.ts";
import { projectWords } from "../../state/sessions.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows the notebooks by project, the most recently changed first. */
export function NotebookRail({
  lines,
  total,
  chosen,
}: {
  lines: readonly NotebookLine[];
  total: number;
  chosen: string | undefined;
}) {
  const projects = [...new Set(lines.map(({ project }) => project))];
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Notebooks">
      {projects.map((project) => (
        <div key={project}>
          <h2 class="sgroup eyebrow">
            <PlainText text={projectWords(project)} />
          </h2>
          {lines
            .filter((line) => line.project === project)
            .map((line) => (
              <Row key={line.id} line={line} isOn={line.id === chosen} />
            ))}
        </div>
      ))}
      {total > lines.length && <p class="dim rail-note">{formatCount(total - lines.length)} more</p>}
    </div>
  );
}

function Row({ line, isOn }: { line: NotebookLine; isOn: boolean }) {
  const now = useNow();
  const { id, title, cellCount, stale, interrupted, updatedAt } = line;
  return (
    <a
      class={isOn ? "nrow on" : "nrow"}
      href={formatRoute({ view: "notebooks", notebook: id, cell: undefined })}
      aria-current={isOn ? "true" : undefined}
    >
      <b>
        <PlainText text={title} />
      </b>
      <span class="meta">
        <span>{countOf(cellCount, "cell")} ·</span>
        {interrupted > 0 && (
          <span>
            <span class="bad">{interrupted} interrupted</span> ·
          </span>
        )}
        {stale > 0 && (
          <span>
            <span class="warnc">{stale} stale</span> ·
          </span>
        )}
        <span>{formatMoment(updatedAt, now)}</span>
      </span>
    </a>
  );
}
