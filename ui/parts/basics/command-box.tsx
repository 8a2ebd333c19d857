import { CopyButton } from "./copy-button.tsx";

export const CommandBox = ({ text }: { text: string }) => (
  <div class="cmd">
    <code>{text}</code>
    <CopyButton text={() => text} label="Copy" />
  </div>
);
