import { useMemo } from "preact/hooks";
import { type DiffRun, diffWords } from "../../model/diff.ts";
import { PlainText } from "../basics/plain-text.tsx";

export const DiffRuns = ({ runs }: { runs: readonly DiffRun[] }) => (
  <>
    {runs.map((run, at) => {
      const words = <PlainText text={run.text} />;
      return (
        <span key={at}>
          {at > 0 && !run.isGlued && " "}
          {run.kind === "same" ? words : run.kind === "added" ? <ins>{words}</ins> : <del>{words}</del>}
        </span>
      );
    })}
  </>
);

type Side = { number: number; text: string };

/**
 * Shows a word diff of a thought and its revision. If the two texts share too little, shows the old text
 * struck out above the new.
 */
export function WordDiff({ before, after }: { before: Side; after: Side }) {
  const diff = useMemo(() => diffWords(before.text, after.text), [before.text, after.text]);
  return (
    <div class="diff">
      <div>
        <span class="num">{before.number}</span>
        <span>
          {diff ? (
            <DiffRuns runs={diff.before} />
          ) : (
            <span class="was">
              <PlainText text={before.text} />
            </span>
          )}
        </span>
      </div>
      <div>
        <span class="num">{after.number}</span>
        <span>{diff ? <DiffRuns runs={diff.after} /> : <PlainText text={after.text} />}</span>
      </div>
    </div>
  );
}
