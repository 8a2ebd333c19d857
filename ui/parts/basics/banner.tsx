import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

type Words = { title: string; children: ComponentChildren; action?: ComponentChildren };

/** Something the person should know while going on. */
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

/** What stands where content would be. */
export const Notice = ({ title, children, action }: Words) => (
  <div class="cen">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);
