import { useEffect, useRef, useState } from "preact/hooks";
import { CommandBox } from "../parts/basics/command-box.tsx";
import { useCommand, useObservatory } from "../parts/basics/context.ts";
import { Segments } from "../parts/basics/segments.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { formatRoute, sessionRoute } from "../route.ts";
import { memoryRoute } from "../route-lists.ts";
import type { Health } from "../state/http.ts";
import { countOf } from "../text/count-words.ts";

type Client = "claude" | "codex" | "cursor" | "vscode" | "other";
type Way = { name: Client; words: string; command: string; where?: string };

/** Returns the ways to connect: by URL if this server has one, and by starting this installation if not. */
function waysToConnect({ mcpUrl, program }: Health): readonly Way[] {
  if (mcpUrl === undefined && !program) return [];
  const shell = `${program?.shell ?? ""} stdio`;
  const entry = (key: string, kind?: { type: string }) => {
    const stdio = { command: program?.command, args: [...(program?.args ?? []), "stdio"] };
    const server = mcpUrl === undefined ? stdio : { ...kind, url: mcpUrl };
    return JSON.stringify({ [key]: { thoughtbox: server } }, undefined, 1).replace(/\s*\n\s*/g, " ");
  };
  return [
    {
      name: "claude",
      words: "Claude Code",
      command:
        mcpUrl === undefined
          ? `claude mcp add thoughtbox -- ${shell}`
          : `claude mcp add --transport http thoughtbox ${mcpUrl}`,
    },
    {
      name: "codex",
      words: "Codex",
      command: `codex mcp add thoughtbox ${mcpUrl === undefined ? `-- ${shell}` : `--url ${mcpUrl}`}`,
    },
    { name: "cursor", words: "Cursor", command: entry("mcpServers"), where: "Add to .cursor/mcp.json" },
    {
      name: "vscode",
      words: "VS Code",
      command: entry("servers", { type: "http" }),
      where: "Add to .vscode/mcp.json",
    },
    {
      name: "other",
      words: "Other",
      command: mcpUrl ?? shell,
      where:
        mcpUrl === undefined
          ? "Any client that starts a server over stdio"
          : "Any client that connects over HTTP",
    },
  ];
}

/** Returns whether nothing is recorded yet. The first thought that arrives opens its session. */
export function useFirstThought(): boolean {
  const o = useObservatory();
  const sessions = o.server.value?.sessions;
  const newest = sessions?.list.value.find(({ thoughtCount }) => thoughtCount > 0);
  const isWaiting = sessions?.loaded.value === true && newest === undefined;
  const waited = useRef(false);
  if (isWaiting) waited.current = true;
  useEffect(() => {
    if (newest && waited.current) o.navigation.go(sessionRoute(newest.id));
  }, [newest, o]);
  return isWaiting;
}

/** Shown while there is no session: how to record the first session. */
export function FirstRun() {
  const run = useCommand();
  const o = useObservatory();
  const health = o.server.value?.health.value;
  const hasThoughts = o.server.value?.sessions.list.value.some(({ thoughtCount }) => thoughtCount > 0);
  const news = o.server.value?.home.latest.value;
  const conflicts = news?.counts.conflicts ?? 0;
  const conflict = news?.conflicts[0];
  const clients = health ? waysToConnect(health) : [];
  const [client, setClient] = useState<Client>("claude");
  const chosen = clients.find(({ name }) => name === client);
  return (
    <>
      <TopBar title={o.route.value.view === "sessions" ? "Sessions" : "Home"} />
      <main class="first" id="main">
        <div class="ghosts" aria-hidden="true">
          {Array.from({ length: 14 }, (_, at) => (
            <i key={at} />
          ))}
        </div>
        <div class="fr">
          <h2>{hasThoughts ? "Connect another agent" : "Nothing to watch yet"}</h2>
          <p>Thoughtbox is running. Connect an agent, and its reasoning appears here while it thinks.</p>
          {!hasThoughts && conflict && (
            <p class="open-conflicts">
              The memory already has{" "}
              <a
                class="lnk"
                href={formatRoute(memoryRoute({ workspace: conflict.workspace, item: conflict.conflict_id }))}
              >
                {countOf(conflicts, "conflict")} to resolve
              </a>
              .
            </p>
          )}
          <ol>
            <li>
              <h3>Connect your client</h3>
              <Segments label="Client" chosen={client} segments={clients} onChoose={setClient} />
              <CommandBox text={chosen?.command ?? ""} />
              {chosen?.where !== undefined && <p class="where">{chosen.where}</p>}
            </li>
            <li>
              <h3>Ask your agent something worth thinking about</h3>
              <CommandBox text="Use thoughtbox to find out why our CI takes 19 minutes." />
            </li>
            <li>
              <h3>Watch</h3>
              <p>The first thought opens a session automatically.</p>
            </li>
          </ol>
          <div class="frf">
            {!hasThoughts && (
              <span class="live">
                <i class="dot on" />
                Waiting for the first thought
              </span>
            )}
            <button type="button" class="btn" onClick={() => run("sample")}>
              Open a sample session
            </button>
          </div>
        </div>
      </main>
    </>
  );
}
