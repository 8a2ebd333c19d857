import type { ConnectionState } from "../../state/connection.ts";
import { type Liveness, livenessOf, livenessWords } from "../../state/liveness.ts";
import type { Session } from "../../state/thought.ts";
import { useNow } from "../basics/clock.ts";

const marks = { thinking: "dot on", open: "dot", quiet: "dot off", ended: "dot final" } as const;

export const LivenessMark = ({ state }: { state: Liveness }) => <i class={marks[state]} />;

/** Shows the state of a session, but never by colour alone. */
export function SessionBadge({ session }: { session: Session }) {
  const now = useNow();
  const state = livenessOf(session, now);
  return (
    <span class={state === "thinking" || state === "open" ? "live" : "live dim"}>
      <LivenessMark state={state} />
      {livenessWords(session, now)}
    </span>
  );
}

const words: Readonly<Record<ConnectionState, string>> = {
  connecting: "Connecting",
  open: "Connected",
  waiting: "Connection lost",
  gone: "Not running",
  refused: "Token needed",
};

export const ConnectionBadge = ({ state, host }: { state: ConnectionState; host: string }) => (
  <div class="sidefoot">
    <i class={state === "open" ? "dot on" : "dot off"} />
    <span role="status">{words[state]}</span>
    <span class="num">{host}</span>
  </div>
);
