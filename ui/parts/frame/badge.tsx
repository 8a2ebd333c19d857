import type { ConnectionState } from "../../state/connection.ts";
import type { SessionState } from "../../state/sessions.ts";

/** The state of a session: never by colour alone. */
export const SessionBadge = ({ state, words }: { state: SessionState; words?: string }) => (
  <span class={state === "live" ? "live" : "live dim"}>
    {state !== "done" && <i class={state === "live" ? "dot on" : "dot off"} />}
    {words ?? state}
  </span>
);

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
