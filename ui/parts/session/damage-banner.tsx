import { useState } from "preact/hooks";
import type { OpenSession } from "../../state/session.ts";
import { Banner } from "../basics/banner.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows that the hash chain of the session is broken. All thoughts stay visible. */
export function DamageBanner({ session }: { session: OpenSession }) {
  const [isOpen, setOpen] = useState(false);
  const [isHidden, setHidden] = useState(false);
  const damage = session.damage.value;
  if (!damage || isHidden) return null;
  const position = damage.firstBad?.position ?? 0;
  const number = session.columns.value.number[position - 1];
  const isMarked = number !== undefined && position <= session.columns.value.size;
  return (
    <div class="over">
      <Banner
        title={
          isMarked
            ? `Thought ${number} does not match its hash`
            : "The end of this session cannot be verified"
        }
        action={
          <span class="acts">
            <button type="button" class="btn" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Verification report
            </button>
            <button type="button" class="btn" onClick={() => setHidden(true)}>
              Hide
            </button>
          </span>
        }
      >
        {isMarked
          ? `The thought was changed after it was recorded. All thoughts are shown, and ${number} is marked.`
          : "The number of thoughts found differs from the recorded number. All existing thoughts are shown."}
        {isOpen &&
          damage.errors.map((error) => (
            <span key={error} class="verdict">
              <PlainText text={error} />
            </span>
          ))}
      </Banner>
    </div>
  );
}
