import { usePage } from "../basics/context.ts";
import { Dialog } from "../basics/dialog.tsx";
import { Icon, type IconName } from "../basics/icon.tsx";

const items: readonly [command: string, icon: IconName, words: string, more: string][] = [
  [
    "share-html",
    "share",
    "One HTML file",
    "Opens offline, with graph, outline, replay and search. Secrets are masked.",
  ],
  ["save-png", "graph", "Picture", "The graph as PNG, with title and legend."],
  ["copy-mermaid", "copy", "Mermaid", "The graph as text, for Markdown and wikis."],
  ["copy-link", "link", "Link", "A link to this thought and moment, for people who can reach this server."],
];

export function ShareMenu() {
  const { observatory, commands } = usePage();
  const find = (id: string) => commands.find((command) => command.id === id);
  const choose = (id: string) => {
    observatory.overlay.value = "none";
    find(id)?.run();
  };
  const offered = items.filter(([id]) => find(id)?.isOffered?.() !== false);
  return (
    <Dialog label="Share" kind="sheet-box share-box">
      <h2>Share</h2>
      {offered.map(([command, icon, words, more]) => (
        <button key={command} type="button" onClick={() => choose(command)}>
          <Icon name={icon} />
          <span>
            <b>{words}</b>
            <span class="dim">{more}</span>
          </span>
        </button>
      ))}
    </Dialog>
  );
}
