import { sessionGet } from "../../operations/ledger/session/session-get.ts";
import { ask, withStore } from "../ask.ts";
import type { Command } from "../command.ts";
import { notUnderstood } from "../failure.ts";
import { flushFiles } from "../flush-files.ts";
import type { Look } from "../look/look.ts";
import { createProgressBar } from "../look/progress.ts";
import { indented, renderMark, renderStatement } from "../look/statement.ts";
import { cut } from "../look/width.ts";
import { count, oneLine, shortId } from "../look/words.ts";
import { nameSession } from "../name-session.ts";
import { type Verdict, verifyAll, verifyOne } from "../verify-sessions.ts";

export const verify: Command = {
  name: "verify",
  group: "Care",
  summary: "Prove that nothing recorded was changed or lost.",
  words: ["[session]"],
  options: { all: { describe: "Every session; also without a session." } },
  details: [
    "Recomputes the hash chain of each session and compares its JSON files with it, byte by byte.",
    "Ends with 1 when something is wrong.",
  ],
  examples: [
    { line: "thoughtbox verify latest", shows: "the newest session" },
    { line: "thoughtbox verify --all", shows: "everything" },
  ],

  async run({ terminal, words: [word], flags }) {
    if (word !== undefined && flags.has("all")) throw notUnderstood("Give either a session or --all.");
    const bar = createProgressBar(terminal, "verifying sessions");
    const verdicts = await withStore(terminal, async (host) => {
      await flushFiles(terminal, host);
      if (word === undefined) return verifyAll(host, { signal: terminal.stop, progress: bar.update });
      const sessionId = await nameSession(host, word);
      const { session } = await ask(host, sessionGet, { sessionId });
      return [await verifyOne(host, { id: sessionId, title: session.title }, terminal.stop)];
    }).finally(bar.end);
    const bad = verdicts.filter(({ valid }) => !valid);
    return {
      data: { valid: bad.length === 0, sessions: verdicts },
      lines: (look) => renderVerdicts(verdicts, bad, look),
      failed: bad.length > 0,
    };
  },
};

function renderVerdicts(verdicts: readonly Verdict[], bad: readonly Verdict[], look: Look): string[] {
  const proven = verdicts.reduce((sum, { verified }) => sum + verified, 0);
  if (verdicts.length === 0) return ["No sessions to verify."];
  const whole = `${count(verdicts.length, "session")}, ${count(proven, "thought")}`;
  if (bad.length === 0) return renderStatement("good", `${whole}: nothing was changed or lost.`, look);
  return [
    ...bad.flatMap((verdict) => renderVerdict(verdict, look)),
    "",
    ...renderStatement("bad", `${bad.length} of ${count(verdicts.length, "session")} not as recorded.`, look),
    ...indented("thoughtbox doctor --repair writes damaged files anew and deletes nothing.", look).map(
      look.paint.dim,
    ),
  ];
}

function renderVerdict({ sessionId, title, errors }: Verdict, look: Look): string[] {
  const { paint, width } = look;
  return [
    `${renderMark("bad", look)} ${paint.cyan(shortId(sessionId))}  ${paint.bold(cut(oneLine(title), width - 12))}`,
    ...errors.flatMap((error) => indented(oneLine(error), look, 4)),
  ];
}
