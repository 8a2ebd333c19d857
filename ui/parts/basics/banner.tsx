import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

type Words = { title: string; children: ComponentChildren; action?: ComponentChildren };

/** Shows a notice that does not interrupt. */
export const Banner = ({ good, title, children, action }: Words & { good?: boolean }) => (
  <div class={good ? "ban ok" : "ban"} role="status">
    <Icon name={good ? "check" : "warn"} />
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
    {action}
  </div>
);

/** Shows a notice in place of missing content. */
export const Notice = ({ title, children, action }: Words) => (
  <div class="cen">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);

/** Shown while content is being read, if that takes more than a moment. */
export const Reading = ({ rows = 1 }: { rows?: number }) => (
  <div class="reading" role="status" aria-label="Reading">
    {Array.from({ length: rows }, (_, at) => (
      <div key={at} class="loading" />
    ))}
  </div>
);

type Unread = { what: string; words: string; onAgain?: (() => void) | undefined };

/**
 * Shown in place of content that could not be read. `what` is the name of the content in the title, such as
 * `the file`.
 */
export const Unreadable = ({ what, words, onAgain }: Unread) => (
  <Notice
    title={`Could not read ${what}`}
    action={
      onAgain && (
        <button type="button" class="btn" onClick={onAgain}>
          Try again
        </button>
      )
    }
  >
    {words}
  </Notice>
);
