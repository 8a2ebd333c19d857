import { useState } from "preact/hooks";
import { type Action, failingLines, mayReport, quotedOutput } from "../../model/pages/actions.ts";
import type { Watching } from "../../state/watching.ts";
import { formatCount } from "../../text/count-words.ts";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows why a command failed: the first lines, then all stored output. */
export function Failure({ watching, action }: { watching: Watching; action: Action }) {
  const [isWhole, setWhole] = useState(false);
  const output = outputOf(watching, action);
  if (!output || output.length === 0) return null;
  const few = failingLines(output);
  return (
    <div class="failure">
      <pre>
        {(isWhole ? output : few).map((line, at) => (
          <span key={at}>
            <PlainText text={line} />
            {"\n"}
          </span>
        ))}
      </pre>
      {output.length > few.length && (
        <button type="button" class="more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${formatCount(output.length)} lines`}
        </button>
      )}
    </div>
  );
}

/** Returns the output of a failed command, as quoted by one of the thoughts that follow it. */
function outputOf(watching: Watching, action: Action): readonly string[] | undefined {
  const { columns } = watching.picture.value;
  for (const thought of mayReport(columns, action)) {
    const text = columns.text[thought];
    if (text === undefined) watching.words.want(thought, thought);
    const found = text === undefined ? undefined : quotedOutput(text, action.command);
    if (found) return found;
  }
  return undefined;
}
