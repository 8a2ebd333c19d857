/** The messages between the server and an open page, over a WebSocket. */
import type {
  Critique,
  ObservatoryBranch,
  ObservatorySession,
  ObservatoryThought,
  RemarksAnswer,
  Skeleton,
  SnapshotPage,
} from "./wire.ts";

/**
 * Sent page by page after a subscription. Deltas follow the last page without a gap. Thoughts on the main
 * line are in `thoughts`, and thoughts on branches are in `branches`. If `skeleton` is set, both are empty.
 */
export type SessionSnapshotPayload = {
  session: ObservatorySession;
  thoughts: ObservatoryThought[];
  branches: Record<string, ObservatoryBranch>;
  page: SnapshotPage;
  skeleton?: Skeleton;
};

export type ThoughtAddedPayload = { thought: ObservatoryThought; parentId: string | null };
export type ThoughtRevisedPayload = ThoughtAddedPayload & { originalThoughtNumber: number };
export type ThoughtBranchedPayload = ThoughtAddedPayload & { branchId: string; fromThoughtNumber: number };
export type ThoughtCritiquedPayload = { id: string; position: number; critique: Critique };
export type SessionStartedPayload = { session: ObservatorySession };
export type SessionEndedPayload = { sessionId: string; finalThoughtCount: number };
export type SessionUpdatedPayload = { session: ObservatorySession };
/**
 * `deleted`: the session is in the trash. `unknown`: the session does not exist here, or belongs to a project
 * that is not shown.
 */
export type SessionGonePayload = { sessionId: string; reason: "deleted" | "unknown" };
/** The newest sessions, sent after a subscription to `sessions`. */
export type SessionsSnapshotPayload = { sessions: ObservatorySession[]; total: number };
/** Sent if a client's message is refused. */
export type RefusedPayload = { code: string; message: string };

/**
 * `sessions`: a snapshot, then started, updated (at most four times a second per session), ended and gone. `reasoning`
 * with `sessionId`: that session's snapshot, then its thoughts. Without `sessionId`: thoughts in all sessions from now
 * on, and no snapshot.
 */
export type Channel = "reasoning" | "sessions";

/** A client may also send the text `ping`. The answer is the text `pong`. */
export type ClientMessage =
  | { action: "subscribe"; channel: "sessions" }
  | {
      action: "subscribe";
      channel: "reasoning";
      sessionId?: string;
      /**
       * The position of the client's last thought. The snapshot starts after that thought. Clients also
       * resync this way.
       */
      after?: number;
    }
  | { action: "unsubscribe"; channel: Channel; sessionId?: string };

type Event<Name extends string, Data> = { event: Name; data: Data };

/** `sessionId` is set if an event is about one session. */
export type ServerMessage =
  | ({ channel: "reasoning"; sessionId: string } & (
      | Event<"session:snapshot", SessionSnapshotPayload>
      | Event<"thought:added", ThoughtAddedPayload>
      | Event<"thought:revised", ThoughtRevisedPayload>
      | Event<"thought:branched", ThoughtBranchedPayload>
      | Event<"thought:critiqued", ThoughtCritiquedPayload>
      | Event<"session:remarked", RemarksAnswer>
      | Event<"session:updated", SessionUpdatedPayload>
      | Event<"session:ended", SessionEndedPayload>
      | Event<"session:gone", SessionGonePayload>
    ))
  | ({ channel: "sessions"; sessionId: string } & (
      | Event<"session:started", SessionStartedPayload>
      | Event<"session:updated", SessionUpdatedPayload>
      | Event<"session:ended", SessionEndedPayload>
      | Event<"session:gone", SessionGonePayload>
    ))
  | ({ channel: "sessions" } & Event<"sessions:snapshot", SessionsSnapshotPayload>)
  | ({ channel: Channel } & Event<"refused", RefusedPayload>);
