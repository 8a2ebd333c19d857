import { useEffect, useState } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import type { Decision } from "../../state/memory.ts";
import { readDecisions } from "../../state/pages/memory-parts.ts";
import type { Watching } from "../../state/watching.ts";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { CardChip } from "./card.tsx";
import { GroundLine } from "./ground-line.tsx";

type Props = { decision: Decision; workspace?: string | undefined };

/** Shows a decision with its reasons, and whether it still applies. */
export function DecisionLine({ decision, workspace }: Props) {
  const { id, title, state, because } = decision;
  return (
    <div class="dcn">
      <CardChip type="decision" hollow={state === "reversed"} />
      <div>
        <a class="lnk" href={formatRoute(memoryRoute({ workspace, item: id, as: "cards" }))}>
          <PlainText text={title} />
        </a>
        {because !== undefined && (
          <p class="meta">
            <PlainText text={because} />
          </p>
        )}
        <DecisionState decision={decision} />
      </div>
    </div>
  );
}

type Known = Partial<
  Pick<Decision, "state" | "reversed_by" | "rests_on_reversed" | "ground" | "ground_moved" | "ground_now">
>;

/** Shows nothing if a decision still applies and does not depend on a file. */
export function DecisionState({ decision }: { decision: Known }) {
  const { state, reversed_by: by, rests_on_reversed: fallen = [] } = decision;
  if (state === "reversed") return <p class="gnd">Reversed{by !== undefined && ` by ${by}`}.</p>;
  return (
    <>
      {state === "in_doubt" && (
        <p class="gnd moved">
          <span>
            In doubt: it rests on{" "}
            <PlainText text={fallen.map(({ id, title }) => title ?? id).join(", ") || "a decision"} />, which
            was reversed.
          </span>
        </p>
      )}
      <GroundLine {...decision} />
    </>
  );
}

/** Shows the decisions made in this thought, and whether they still apply. */
export function DecidedHere({ watching, index }: { watching: Watching; index: number }) {
  const get = useObservatory().server.value?.get;
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const { session } = watching;
  const isLocal = session.isLocal.value;
  useEffect(() => {
    if (!get || isLocal) return;
    const abort = new AbortController();
    void readDecisions(get, abort.signal).then((found) => !abort.signal.aborted && setDecisions(found));
    return () => abort.abort();
  }, [get, session.id, isLocal]);
  const { branch, number } = watching.nameOf(index);
  const id = [session.id, ...(branch === undefined ? [] : [branch]), number].join(":");
  const here = decisions.filter(({ thought }) => thought === id);
  if (here.length === 0) return null;
  return (
    <section class="sec">
      <h3>Decided here</h3>
      {here.map((decision) => (
        <DecisionLine key={decision.id} decision={decision} />
      ))}
    </section>
  );
}
