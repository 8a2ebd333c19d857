import type { CipherText } from "../../text/cipher.ts";
import { PlainText } from "../basics/plain-text.tsx";

const MOST_LINES = 20;

/** Shows the parts of a thought's notation, and the parser's warnings. */
export const CipherLines = ({ cipher }: { cipher: CipherText }) => (
  <section class="sec">
    <h3>Cipher</h3>
    <div class="cipher">
      {cipher.lines.slice(0, MOST_LINES).map((line, at) => (
        <div key={at}>
          <b>S{line.number}</b>
          <i>|</i>
          <b>{line.type}</b>
          <i>|</i>
          {line.references !== "" && (
            <>
              {line.references}
              <i>|</i>
            </>
          )}
          <PlainText text={line.content.slice(0, 2_000)} />
        </div>
      ))}
      {cipher.lines.length > MOST_LINES && <div>{cipher.lines.length - MOST_LINES} more steps</div>}
    </div>
    {cipher.warnings.length > 0 && (
      <ul class="doubts">
        {cipher.warnings.slice(0, 8).map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    )}
  </section>
);
