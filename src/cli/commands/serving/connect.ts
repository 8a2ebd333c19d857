import { type ClientName, clientNames } from "../../../kernel/client-names.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { count } from "../../../kernel/numbers.ts";
import type { ClientStatus, Clients, ConnectReport, FileChange } from "../../../ports/clients.ts";
import type { Answer, Command, Flags } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Terminal } from "../../host.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { indented, type Mark, renderHint, renderStatement, repeatPlace } from "../../rendering/statement.ts";
import { renderTable } from "../../rendering/table.ts";
import { formatAge } from "../../rendering/words.ts";
import { confirm } from "../../screen.ts";

export const connect: Command = {
  name: "connect",
  group: "Serve",
  summary: "Set up the agents on this machine: server, hooks and skill.",
  words: ["[client]"],
  options: {
    all: { describe: "Connect all clients on this machine." },
    remove: { describe: "Restore the client's files as they were." },
    "dry-run": { describe: "Show the changes without making them." },
    capture: {
      value: "yes|no",
      choices: ["yes", "no"],
      describe:
        "Record your agents' sessions from their transcripts. If you omit this option, Thoughtbox asks once.",
    },
  },
  details: [
    `Clients: ${clientNames.join(", ")}.`,
    "If no client is named, lists the clients on this machine and whether each is connected. If a client loads separate files, Thoughtbox adds one. If not, it inserts an entry into the client's file without changing any other byte, and keeps a copy of the original in the data directory.",
  ],
  examples: [
    { line: "thoughtbox connect", shows: "which clients are found and connected" },
    { line: "thoughtbox connect claude-code --dry-run", shows: "what would change" },
    { line: "thoughtbox connect --all --capture=yes", shows: "set up all clients" },
    { line: "thoughtbox connect codex --remove", shows: "restore Codex's files" },
  ],

  async run({ terminal, words, flags }) {
    const clients = await terminal.clients();
    const chosen = choose(clients, words, flags);
    if (chosen === undefined) return answerList(terminal, clients, flags);
    const dryRun = flags.has("dry-run");
    const outcomes = chosen.map((client) => setUp(clients, client, { dryRun, remove: flags.has("remove") }));
    const isConnected = !flags.has("remove") && outcomes.some(({ refused }) => refused === undefined);
    const capture = dryRun || !isConnected ? undefined : await settleCapture(terminal, flags);
    const place = terminal.consent.place();
    return {
      data: { clients: outcomes, ...(capture !== undefined && { capture }) },
      lines: (context) => [
        ...outcomes.flatMap((outcome) => renderOutcome(outcome, dryRun, context)),
        ...(capture === undefined ? [] : ["", ...renderCapture(capture, place, context)]),
      ],
      failed: outcomes.some(({ refused }) => refused !== undefined),
    };
  },
};

type Outcome = ConnectReport & { title: string; removed: boolean; refused: string | undefined };

function choose(clients: Clients, words: readonly string[], flags: Flags): ClientName[] | undefined {
  const [word, ...more] = words;
  if (more.length > 0) throw notUnderstood("Choose one client, or use --all.");
  if (word !== undefined && flags.has("all")) throw notUnderstood("--all takes no client.");
  if (flags.has("all")) {
    const wanted = clients.list().filter(({ found, connected }) => (flags.has("remove") ? connected : found));
    if (wanted.length > 0) return wanted.map(({ client }) => client);
    throw new CommandFailure(
      flags.has("remove")
        ? "No client is connected."
        : "No client was found on this machine. If you have just installed one, start it once, and then run this command again.",
      { next: "thoughtbox connect lists the clients that can be connected." },
    );
  }
  if (word === undefined) {
    if (flags.has("remove") || flags.has("dry-run")) throw notUnderstood("Choose a client, or use --all.");
    return undefined;
  }
  const known = clientNames.find((name) => name === word);
  if (known) return [known];
  const guess = nearest(word, clientNames);
  throw notUnderstood(
    `"${word.slice(0, 40)}" is not a client.${guess ? ` Did you mean ${guess}?` : ""} Clients: ${clientNames.join(", ")}.`,
  );
}

function setUp(clients: Clients, client: ClientName, how: { dryRun: boolean; remove: boolean }): Outcome {
  const status = clients.list().find((known) => known.client === client);
  const shared = { client, title: status?.title ?? client, removed: how.remove };
  if (how.remove && !status?.connected)
    return { ...shared, changes: [], notes: ["It was not connected."], refused: undefined };
  const report = how.remove ? clients.remove(client, how) : clients.connect(client, how);
  return "refused" in report
    ? { ...shared, changes: [], notes: [], refused: report.refused }
    : { ...shared, ...report, refused: undefined };
}

/** Asks for consent to capture, and states where the sessions are stored. */
function wordQuestion(place: { host: string; project: string } | undefined): string {
  const kept = place
    ? `stores the sessions of project ${place.project} in the database on ${place.host}, where others may read them`
    : "stores the sessions in your data directory";
  return `Record your agents' sessions? If you type yes, Thoughtbox reads the transcripts that your agents write on this machine, masks secrets and ${kept}. Type yes or no: `;
}

/** Decides whether to capture transcripts. Asks only once, and only if a person can answer. */
async function settleCapture(terminal: Terminal, flags: Flags): Promise<"on" | "off" | "unasked"> {
  const { consent } = terminal;
  const typed = flags.text("capture");
  const known = consent.read();
  if (typed === undefined && known !== undefined) return known;
  if (typed === undefined && !terminal.inputIsTerminal) return "unasked";
  const isAgreed =
    typed === undefined
      ? ((await confirm(terminal, wordQuestion(consent.place()))) ??
        (await confirm(terminal, "Please type yes or no: ")))
      : typed === "yes";
  if (isAgreed === undefined) return "unasked";
  consent.save(isAgreed ? "on" : "off");
  return isAgreed ? "on" : "off";
}

async function answerList(terminal: Terminal, clients: Clients, flags: Flags): Promise<Answer> {
  const capture = flags.has("capture")
    ? await settleCapture(terminal, flags)
    : (terminal.consent.read() ?? "unasked");
  const list = clients.list();
  const place = terminal.consent.place();
  return { data: { clients: list, capture }, lines: (context) => renderList(list, capture, place, context) };
}

function renderList(
  list: readonly ClientStatus[],
  capture: Capture,
  place: Place,
  context: RenderContext,
): string[] {
  const { paint, now } = context;
  const [next, ...others] = list.filter(({ found, connected }) => found && !connected);
  return [
    ...renderTable(
      context,
      [
        { title: "client", cell: ({ client }) => client, paint: paint.cyan },
        { title: "state", cell: stateOf },
        { title: "sets up", cell: ({ parts }) => parts.join(", "), paint: paint.dim, expendable: 1 },
        {
          title: "hooks ran",
          cell: ({ hooksRanAt }) => (hooksRanAt === undefined ? "" : formatAge(hooksRanAt, now)),
          align: "right",
        },
      ],
      list,
    ),
    ...list.flatMap(({ trouble }) => (trouble === undefined ? [] : renderStatement("bad", trouble, context))),
    "",
    ...renderCapture(capture, place, context),
    ...(next
      ? renderHint(`Connect: thoughtbox connect ${others.length > 0 ? "--all" : next.client}`, context)
      : []),
  ];
}

function stateOf({ found, connected, trouble }: ClientStatus): string {
  if (trouble !== undefined) return "broken";
  if (connected) return "connected";
  return found ? "found" : "not found";
}

type Capture = "on" | "off" | "unasked";

const captureWords: Readonly<Record<Capture, { mark: Mark; says: string; command: string }>> = {
  on: {
    mark: "good",
    says: "Sessions are recorded from transcripts. Stop with:",
    command: "thoughtbox connect --capture=no",
  },
  off: {
    mark: "none",
    says: "Sessions are not recorded from transcripts. Start with:",
    command: "thoughtbox connect --capture=yes",
  },
  unasked: {
    mark: "look",
    says: "No transcript is read until you agree:",
    command: "thoughtbox connect --capture=yes",
  },
};

type Place = ReturnType<Terminal["consent"]["place"]>;

function renderCapture(capture: Capture, place: Place, context: RenderContext): string[] {
  const { mark, says, command: bare } = captureWords[capture];
  const command = repeatPlace(bare, context.place);
  const where = place && `This applies to project ${place.project} in the database on ${place.host}.`;
  const whole = `${says} ${command}`;
  const fits = whole.length + 2 <= Math.min(context.width, proseWidth);
  return [
    ...renderStatement(mark, fits ? whole : says, context),
    // A command that is broken across lines cannot be copied.
    ...(fits ? [] : [`    ${command}`]),
    ...(where ? indented(where, context) : []),
  ];
}

function renderOutcome(outcome: Outcome, dryRun: boolean, context: RenderContext): string[] {
  const { title, refused, changes, notes, removed } = outcome;
  if (refused !== undefined) return renderStatement("bad", refused, context);
  const files = count(changes.length, "file");
  const done = removed ? `${title} is disconnected` : `${title} is connected`;
  const says = dryRun
    ? `${title}: ${files} would change.`
    : changes.length === 0
      ? `${done}. No file was changed.`
      : `${done}: ${files} ${removed ? "restored or removed" : "written"}.`;
  return [
    ...renderStatement("good", says, context),
    ...changes.flatMap((change) =>
      dryRun ? renderChange(change, context) : [`  ${context.paint.dim(change.path)}`],
    ),
    ...notes.flatMap((note) => indented(note, context)),
  ];
}

/** Shows only added and removed lines, because the other lines never change. */
function renderChange({ path, before, after }: FileChange, { paint }: RenderContext): string[] {
  const verb = before === undefined ? "new" : after === undefined ? "removed" : "changed";
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    "",
    paint.bold(`${path} (${verb})`),
    ...old.slice(start, old.length - end).map((line) => paint.red(`- ${line}`)),
    ...now.slice(start, now.length - end).map((line) => paint.green(`+ ${line}`)),
  ];
}

const linesOf = (text: string | undefined): string[] =>
  text === undefined ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
