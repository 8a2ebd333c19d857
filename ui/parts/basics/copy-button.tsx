import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

const SAID_FOR = 1600;

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Copies through a selection, for files and for pages without TLS, where the clipboard API is missing. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "off-screen";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

type Props = {
  text: () => string;
  label: string;
  words?: string;
  icon?: IconName;
  /** Whether this is the main button in its group. */
  isMain?: boolean;
};

export function CopyButton({ text, label, words, icon = "copy", isMain = false }: Props) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    setSaid((await copyText(text())) ? "Copied" : "Not copied");
    setTimeout(() => setSaid(""), SAID_FOR);
  };
  return (
    <button
      type="button"
      class={words ? (isMain ? "btn ink" : "btn") : "ib"}
      aria-label={said || label}
      title={said || label}
      onClick={() => void copy()}
    >
      <Icon name={said === "Copied" ? "check" : icon} />
      {words && (said || words)}
    </button>
  );
}
