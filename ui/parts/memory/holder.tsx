import { livenessAt } from "../../state/liveness.ts";
import type { Task } from "../../state/memory.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatAge, formatSpan } from "../../text/time-words.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { LivenessMark } from "../frame/badge.tsx";

type HolderProps = {
  step: Task["steps"][number];
  lease: NonNullable<Task["steps"][number]["lease"]>;
  now: number;
};

/**
 * Shows who is working on the step, and how long the lease lasts. If the lease has ended, shows who worked on
 * the step and when it ended.
 */
export const Holder = ({ step, lease: { by, heardAt, ends }, now }: HolderProps) => {
  const isHeld = step.leasedBy !== undefined && (ends === undefined || ends >= now);
  return (
    <>
      <span class="who">
        <LivenessMark state={heardAt === undefined || !isHeld ? "quiet" : livenessAt(heardAt, now)} />
        <PlainText text={agentName(by)} />
      </span>
      {isHeld ? (
        ends !== undefined && (
          <span class="r">lease {formatSpan(Math.ceil((ends - now) / 60_000) * 60_000)}</span>
        )
      ) : (
        <span class="r warnc">
          lease ended{ends !== undefined && ends < now && ` ${formatAge(ends, now)} ago`}
        </span>
      )}
    </>
  );
};
