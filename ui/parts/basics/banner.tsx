import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

type Words = { title: string; children: ComponentChildren; action?: ComponentChildren };

/** A notice that does not interrupt. */
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

/** Shown in place of missing content. */
export const Notice = ({ title, children, action }: Words) => (
  <div class="cen">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);
