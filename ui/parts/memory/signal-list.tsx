import type { EngineSignal } from "../../state/memory.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Choose = (id: string | undefined) => void;
type Props = { signals: readonly EngineSignal[]; hasCards: boolean; onChoose: Choose };

/** Shows the engine's signals in its order, each with a button that copies the call suggested to agents. */
export const SignalList = ({ signals, hasCards, onChoose }: Props) => (
  <>
    <h2>
      Signals <span class="num">{signals.length}</span>
    </h2>
    {signals.length === 0 && (
      <p class="dim">
        {hasCards
          ? "No signals: every open hypothesis has a test."
          : "No signals, because there are no cards."}
      </p>
    )}
    {signals.map((signal, at) => (
      <SignalRow key={at} signal={signal} onChoose={onChoose} />
    ))}
  </>
);

export const SignalRow = ({ signal, onChoose }: { signal: EngineSignal; onChoose: Choose }) => {
  const { severity, code, message, refs, action } = signal;
  const call = action?.call;
  return (
    <div class={`sig ${severity}`}>
      <div class="h">
        <Icon name={severity === "info" ? "clock" : "warn"} />
        <b>
          <span class="off-screen">{severity}: </span>
          <PlainText text={message} />
        </b>
      </div>
      <div class="code">
        <span>{code}</span>
        {refs.slice(0, 6).map((id) => (
          <button key={id} type="button" onClick={() => onChoose(id)}>
            {id}
          </button>
        ))}
      </div>
      {action && (
        <div class="act">
          <span>
            <PlainText text={action.title} />
          </span>
          {call && <CopyButton text={() => JSON.stringify(call)} label="Copy call" words="Copy call" />}
        </div>
      )}
    </div>
  );
};
