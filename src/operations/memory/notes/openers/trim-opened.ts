import type { Json, TrimPlan } from "../../../pipeline/fit/trim.ts";
import { trimAnchor } from "../../anchors/read-anchor.ts";
import { stubConflict } from "../../graph/conflict-schema.ts";
import { stubNode } from "../../graph/version-schemas.ts";
import { stubJob, stubJobEvent } from "../../jobs/job-fields.ts";
import { keepCapsule } from "../../packs/trim-packs.ts";
import { stubEvent, stubStep } from "../../tasks/fields.ts";
import { stubEntry } from "../entry-schema.ts";

const entry: TrimPlan = { item: { key: "entry", stub: stubEntry, text: "content" } };
const item: TrimPlan = {
  optional: ["degradation", "step_focus", "reasoning_ref", "target"],
  item: { key: "capsule", stub: (capsule) => keepCapsule.forms(capsule).at(-1) ?? capsule },
};
const beside = { optional: ["incoming", "edges"] } as const;
const stubEdge = ({ from, rel, to, last_seq }: Json): Json => ({ from, rel, to, last_seq });
const itself = (item: Json): Json => item;

/** Each kind has its own centre, which is shortened last. */
const plans: Readonly<Record<string, TrimPlan>> = {
  session: { optional: ["session"], list: { key: "entries", oldest: "first", stub: stubEntry } },
  card: { ...beside, item: { key: "card", stub: stubNode } },
  node: { ...beside, item: { key: "node", stub: stubNode } },
  task: item,
  plan: item,
  step: { optional: ["target"], item: { key: "step", stub: stubStep } },
  task_event: { optional: ["entry"], item: { key: "event", stub: stubEvent } },
  job_event: { optional: ["context", "job"], item: { key: "event", stub: stubJobEvent } },
  runner: { optional: ["meta"], item: { key: "lease", stub: itself } },
  conflict: { item: { key: "conflict", stub: stubConflict } },
  tag: { optional: ["entry"], item: { key: "tag", stub: ({ name, seq, ref }) => ({ name, seq, ref }) } },
  branch: {
    list: { key: "docs", oldest: "last", stub: ({ doc, form, last_seq }) => ({ doc, form, last_seq }) },
  },
};

export function trimOpened(opened: Json): TrimPlan {
  const kind = String(opened["kind"]);
  if (kind === "anchor") return trimAnchor(opened);
  if (kind === "job") return trimJob(opened);
  if (kind === "graph_version")
    return "node" in opened
      ? { item: { key: "node", stub: stubNode } }
      : { item: { key: "edge", stub: stubEdge } };
  return plans[kind] ?? entry;
}

function trimJob({ events }: Json): TrimPlan {
  if (!Array.isArray(events) || events.length === 0)
    return { optional: ["prompt"], item: { key: "job", stub: stubJob } };
  return {
    optional: ["prompt"],
    list: { key: "events", oldest: "first", stub: stubJobEvent },
    adjust: (result) => ({ ...result, has_more_events: true }),
  };
}
