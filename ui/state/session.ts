import { batch, signal } from "@preact/signals";
import type {
  Critique,
  ServerMessage,
  SessionSnapshotPayload,
  ThoughtRemarks,
  VerifyAnswer,
} from "../../src/observatory/wire.ts";
import { type Columns, createColumns, MARKS } from "../model/columns.ts";
import { type Done, nothingDone } from "../model/pages/actions.ts";
import { appendSkeleton, appendThought } from "./arrivals.ts";
import type { Connection } from "./connection.ts";
import { markRemarked } from "./remarks.ts";
import type { Session, Thought } from "./thought.ts";

/** `unknown`: no such session here. `deleted`: it was here. */
export type SessionPhase = "loading" | "ready" | "unknown" | "deleted";

/** A session that is being watched. `columns` only grow. A new object means that everything was reloaded. */
export type OpenSession = ReturnType<typeof createSession>;

export function createSession(id: string) {
  const info = signal<Session | undefined>(undefined);
  const columns = signal<Columns>(createColumns());
  /** Goes up whenever the columns or the words in them changed. */
  const version = signal(0);
  const phase = signal<SessionPhase>("loading");
  const total = signal(0);
  /** What came with a thought besides its columns, by index. */
  const records = new Map<number, Thought>();
  /** When this page last saw something arrive live, by its own clock. */
  const arrived = signal(0);

  /** What its agent did between the thoughts, as far as a transcript shows. */
  const done = signal<Done>(nothingDone);
  /** It came whole with the page or a file: nothing can be added to it. */
  const isLocal = signal(false);
  /** What people said of its thoughts. */
  const remarks = signal<readonly ThoughtRemarks[]>([]);
  /** What checking its hash chain found, once something was found. */
  const damage = signal<VerifyAnswer | undefined>(undefined);

  const changed = () => {
    version.value = version.peek() + 1;
  };

  function keep(index: number, thought: Thought) {
    records.set(index, thought);
  }

  /** False when a thought before this one is missing. */
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
    remarks,
    isLocal,
    /** A session that is all here. */
    load(session: Session, thoughts: readonly Thought[]) {
      batch(() => {
        start(session, thoughts.length);
        thoughts.forEach(add);
        isLocal.value = true;
        phase.value = "ready";
        changed();
      });
    },
    /** One live thought. */
    addThought(thought: Thought): boolean {
      return batch(() => {
        const fits = add(thought);
        changed();
        return fits;
      });
    },
    /** A page of the past; false when it does not continue what is here. */
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
        // A long session is shown when all of it is here: where thoughts stand depends on how many there are.
        if (phase.peek() === "ready") changed();
        return fits;
      });
    },
    /** Words of thoughts that came as skeletons. */
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
    /** Marks what arrived while the page was hidden. */
    markUnseen(from: number, isUnseen: boolean, to = columns.peek().size) {
      for (let i = from; i < to; i++) columns.peek().setMark(i, MARKS.unseen, isUnseen);
      changed();
    },
  };
}

type Watching = { connection: Connection; now: () => number; onBack: (thoughts: number) => void };

/** Subscribes a session to its thoughts; a gap makes it ask for what is missing. The result stops it. */
export function watchSession(session: OpenSession, { connection, now, onBack }: Watching): () => void {
  /** Thoughts that were here when the connection was lost; a negative number means that none was lost. */
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
    // An id that cannot be one is refused, not looked up.
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
