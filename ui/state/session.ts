import { batch, signal } from "@preact/signals";
import type { Critique, ThoughtRemarks, VerifyAnswer } from "../../src/observatory/wire.ts";
import type { ServerMessage, SessionSnapshotPayload } from "../../src/observatory/wire-live.ts";
import { type Columns, createColumns, MARKS } from "../model/columns.ts";
import { type Done, nothingDone } from "../model/pages/actions.ts";
import { appendSkeleton, appendThought } from "./arrivals.ts";
import type { Connection } from "./connection.ts";
import { markRemarked } from "./remarks.ts";
import type { Session, Thought } from "./thought.ts";

/** `unknown`: there is no such session. `deleted`: it existed before. */
export type SessionPhase = "loading" | "ready" | "unknown" | "deleted";

/** A session that the page follows. `columns` only grow. A new object means that everything was reloaded. */
export type OpenSession = ReturnType<typeof createSession>;

export function createSession(id: string) {
  const info = signal<Session | undefined>(undefined);
  const columns = signal<Columns>(createColumns());
  /** Increases whenever the columns or the text in them change. */
  const version = signal(0);
  const phase = signal<SessionPhase>("loading");
  const total = signal(0);
  /** The full thoughts received so far, by index. */
  const records = new Map<number, Thought>();
  /** When something last arrived live, by this browser's clock. */
  const arrived = signal(0);

  /** The agent's actions between the thoughts, if there is a transcript. */
  const done = signal<Done>(nothingDone);
  /** Whether the actions have been read. If there are still no actions after that, there is no transcript. */
  const hasReadActions = signal(false);
  /** Whether the session was loaded completely from the page or a file, so that nothing can be added. */
  const isLocal = signal(false);
  const remarks = signal<readonly ThoughtRemarks[]>([]);
  /** The result of the hash chain check, if it found damage. */
  const damage = signal<VerifyAnswer | undefined>(undefined);

  const changed = () => {
    version.value = version.peek() + 1;
  };

  function keep(index: number, thought: Thought) {
    records.set(index, thought);
  }

  /** Returns false if an earlier thought is missing. */
  function add(thought: Thought): boolean {
    const here = columns.peek();
    if (thought.position <= here.size) return true;
    if (thought.position > here.size + 1) return false;
    keep(appendThought(here, thought), thought);
    total.value = Math.max(total.peek(), here.size);
    return true;
  }

  function start(session: Session, expected: number) {
    if (columns.peek().size > 0) columns.value = createColumns(Math.max(256, expected * 2));
    records.clear();
    info.value = session;
  }

  return {
    id,
    info,
    columns,
    version,
    phase,
    total,
    records,
    arrived,
    damage,
    done,
    hasReadActions,
    remarks,
    isLocal,
    load(session: Session, thoughts: readonly Thought[]) {
      batch(() => {
        start(session, thoughts.length);
        thoughts.forEach(add);
        isLocal.value = true;
        phase.value = "ready";
        changed();
      });
    },
    addThought(thought: Thought): boolean {
      return batch(() => {
        const fits = add(thought);
        changed();
        return fits;
      });
    },
    /**
     * Adds a page of earlier thoughts. Returns false if the page does not continue the thoughts already
     * loaded.
     */
    addPage({ session, page, thoughts, branches, skeleton }: SessionSnapshotPayload): boolean {
      return batch(() => {
        if (page.from === 1) start(session, page.total);
        else info.value = session;
        const here = columns.peek();
        if (page.from > here.size + 1) return false;
        total.value = Math.max(page.total, here.size);
        if (skeleton) appendSkeleton(here, skeleton, page.from);
        const all = [...thoughts, ...Object.values(branches).flatMap((branch) => branch.thoughts)];
        all.sort((a, b) => a.position - b.position);
        const fits = all.every(add);
        if (page.isLast) phase.value = "ready";
        // A long session is shown only once it is complete, because the layout depends on the number of thoughts.
        if (phase.peek() === "ready") changed();
        return fits;
      });
    },
    /** Sets the text of thoughts that arrived without it. */
    setWords(thoughts: readonly Thought[]) {
      const here = columns.peek();
      for (const thought of thoughts) {
        keep(thought.position - 1, thought);
        here.setText(thought.position - 1, thought.thought);
      }
      if (thoughts.length > 0) changed();
    },
    setCritique(position: number, critique: Critique) {
      const thought = records.get(position - 1);
      if (thought) keep(position - 1, { ...thought, hasCritique: true, critique });
      columns.peek().setMark(position - 1, MARKS.critique, true);
      changed();
    },
    setRemarks(now: readonly ThoughtRemarks[]) {
      batch(() => {
        markRemarked(columns.peek(), remarks.peek(), now);
        remarks.value = now;
        changed();
      });
    },
    setDamage(found: VerifyAnswer) {
      damage.value = found;
      if (found.firstBad) columns.peek().setMark(found.firstBad.position - 1, MARKS.damaged, true);
      changed();
    },
    /** Marks thoughts that arrived while the page was hidden. */
    markUnseen(from: number, isUnseen: boolean, to = columns.peek().size) {
      for (let i = from; i < to; i++) columns.peek().setMark(i, MARKS.unseen, isUnseen);
      changed();
    },
  };
}

type Watching = { connection: Connection; now: () => number; onBack: (thoughts: number) => void };

/**
 * Subscribes to a session's thoughts, and requests missing ones after a gap. Returns a function that ends the
 * subscription.
 */
export function watchSession(session: OpenSession, { connection, now, onBack }: Watching): () => void {
  /** The number of thoughts when the connection was lost, or a negative number if it was not. */
  let before = -1;
  const subscription = connection.subscribe(
    () => {
      const here = session.columns.peek().size;
      before = connection.openings.peek() > 1 && here > 0 ? here : -1;
      return {
        action: "subscribe",
        channel: "reasoning",
        sessionId: session.id,
        ...(here > 0 && { after: here }),
      };
    },
    hear,
    { action: "unsubscribe", channel: "reasoning", sessionId: session.id },
  );

  function caughtUp() {
    if (before < 0) return;
    const missed = session.columns.peek().size - before;
    if (missed > 0) session.markUnseen(before, true);
    onBack(missed);
    before = -1;
  }

  function hear(message: ServerMessage) {
    // The server refuses an invalid ID without looking it up.
    if (message.event === "refused" && message.channel === "reasoning" && session.phase.peek() === "loading")
      session.phase.value = "unknown";
    if (message.channel !== "reasoning" || !("sessionId" in message) || message.sessionId !== session.id)
      return;
    switch (message.event) {
      case "session:snapshot":
        if (!session.addPage(message.data)) subscription.again();
        else if (message.data.page.isLast) caughtUp();
        return;
      case "thought:added":
      case "thought:revised":
      case "thought:branched":
        session.arrived.value = now();
        if (!session.addThought(message.data.thought)) subscription.again();
        return;
      case "thought:critiqued":
        session.setCritique(message.data.position, message.data.critique);
        return;
      case "session:remarked":
        session.setRemarks(message.data.remarks);
        return;
      case "session:updated":
        session.info.value = message.data.session;
        return;
      case "session:ended":
        if (session.info.peek())
          session.info.value = { ...(session.info.peek() as Session), status: "completed" };
        return;
      case "session:gone":
        session.phase.value = message.data.reason;
        return;
      default:
        return;
    }
  }
  return subscription.stop;
}
