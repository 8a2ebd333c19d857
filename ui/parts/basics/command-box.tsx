import { CopyButton } from "./copy-button.tsx";

/** A line to copy. */
export const CommandBox = ({ text }: { text: string }) => (
  <div class="cmd">
    <code>{text}</code>
    <CopyButton text={() => text} label="Copy" />
  </div>
);
