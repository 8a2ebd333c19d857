import type { JSX } from "preact";

const solid = { fill: "currentColor", stroke: "none" } as const;

const shapes = {
  graph: (
    <>
      <circle cx="3.5" cy="8" r="1.75" />
      <circle cx="12.5" cy="4" r="1.75" />
      <circle cx="12.5" cy="12" r="1.75" />
      <path d="M5.25 8h2.5M10.75 4H9.5a1.75 1.75 0 0 0-1.75 1.75v4.5c0 .95.75 1.75 1.75 1.75h1.25" />
    </>
  ),
  outline: <path d="M2.5 4h11M5.5 8h8M5.5 12h8M2.5 8h.01M2.5 12h.01" />,
  compare: (
    <>
      <rect x="2" y="3" width="5" height="10" rx="1.25" />
      <rect x="9" y="3" width="5" height="10" rx="1.25" />
    </>
  ),
  memory: (
    <>
      <rect x="2.25" y="2.25" width="5" height="5" rx="1.25" />
      <rect x="8.75" y="8.75" width="5" height="5" rx="1.25" />
      <path d="M7.25 4.75h2.5a1.5 1.5 0 0 1 1.5 1.5v2.5" />
    </>
  ),
  sessions: <path d="M2.5 4.25h11M2.5 8h11M2.5 11.75h6.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.25 3.25" />
    </>
  ),
  share: (
    <path d="M8 10V2.5M5.25 5 8 2.25 10.75 5M3 9v3.25c0 .7.55 1.25 1.25 1.25h7.5c.7 0 1.25-.55 1.25-1.25V9" />
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.75v1M8 13.25v1M1.75 8h1M13.25 8h1M3.6 3.6l.7.7M11.7 11.7l.7.7M12.4 3.6l-.7.7M4.3 11.7l-.7.7" />
    </>
  ),
  play: <path d="M5 3.25v9.5l7.5-4.75z" {...solid} />,
  pause: <path d="M5 3.5h2v9H5zM9 3.5h2v9H9z" {...solid} />,
  stepBack: <path d="M10.75 3.75 6 8l4.75 4.25M4.25 3.75v8.5" />,
  stepForth: <path d="M5.25 3.75 10 8l-4.75 4.25M11.75 3.75v8.5" />,
  left: <path d="M10.25 3.75 5.5 8l4.75 4.25" />,
  right: <path d="M5.75 3.75 10.5 8l-4.75 4.25" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  link: (
    <path d="M6.75 9.25a2.4 2.4 0 0 0 3.4 0l2.1-2.1a2.4 2.4 0 0 0-3.4-3.4l-.6.6M9.25 6.75a2.4 2.4 0 0 0-3.4 0l-2.1 2.1a2.4 2.4 0 0 0 3.4 3.4l.6-.6" />
  ),
  braces: (
    <path d="M6 2.75c-1.4 0-2 .6-2 2v1.5c0 1-.5 1.75-1.5 1.75 1 0 1.5.75 1.5 1.75v1.5c0 1.4.6 2 2 2M10 2.75c1.4 0 2 .6 2 2v1.5c0 1 .5 1.75 1.5 1.75-1 0-1.5.75-1.5 1.75v1.5c0 1.4-.6 2-2 2" />
  ),
  menu: <path d="M2.5 5h11M2.5 11h11" />,
  quote: (
    <path
      d="M3 11.5c1.7-.5 2.5-1.8 2.5-3.5H3V4.5h3.5V8c0 2.6-1.2 4.2-3.5 4.6zM9 11.5c1.7-.5 2.5-1.8 2.5-3.5H9V4.5h3.5V8c0 2.6-1.2 4.2-3.5 4.6z"
      {...solid}
    />
  ),
  revise: <path d="M12.75 8.5A4.75 4.75 0 1 1 11 4.6L12.75 6M12.75 2.75V6H9.5" />,
  arrow: <path d="M3 8h9.5M9 4.5 12.5 8 9 11.5" />,
  pin: <path d="M8 10v4M5 2.5h6M6 2.5v3.75L4.25 8.5v1.25h7.5V8.5L10 6.25V2.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.25a.75.75 0 0 0-.75-.75h-6A1.25 1.25 0 0 0 2.5 3.75v6c0 .41.34.75.75.75" />
    </>
  ),
  check: <path d="m3.5 8.5 3 3 6-7" />,
  fork: (
    <>
      <circle cx="4" cy="3.5" r="1.5" />
      <circle cx="4" cy="12.5" r="1.5" />
      <circle cx="12" cy="8" r="1.5" />
      <path d="M4 5v6M4 5.5C4 7.2 5 8 6.5 8h4" />
    </>
  ),
  fit: <path d="M2.5 5.5v-3h3M13.5 5.5v-3h-3M2.5 10.5v3h3M13.5 10.5v3h-3" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.25L10 9.5" />
    </>
  ),
  warn: <path d="M8 2.5 14 13H2zM8 6.75v2.75M8 11.25v.01" />,
  home: (
    <>
      <path d="M2.5 7.25 8 2.75l5.5 4.5v5.5c0 .4-.35.75-.75.75h-9.5a.75.75 0 0 1-.75-.75z" />
      <path d="M6.25 13.5V9.25h3.5v4.25" />
    </>
  ),
  notebook: (
    <>
      <rect x="3.25" y="2.25" width="10" height="11.5" rx="1.5" />
      <path d="M2 5h2.5M2 8h2.5M2 11h2.5M7 5.5h3.5M7 8.25h3.5" />
    </>
  ),
  file: (
    <>
      <path d="M4.25 1.75h5l3 3v8.75c0 .4-.35.75-.75.75h-7.25a.75.75 0 0 1-.75-.75V2.5c0-.4.35-.75.75-.75z" />
      <path d="M9 2v3h3" />
    </>
  ),
  folder: (
    <path d="M2 4.25c0-.55.45-1 1-1h3l1.5 1.75H13c.55 0 1 .45 1 1v5.75c0 .55-.45 1-1 1H3c-.55 0-1-.45-1-1z" />
  ),
  edit: <path d="M10.5 3.25 12.75 5.5 5.5 12.75l-3 .75.75-3zM9.25 4.5l2.25 2.25" />,
  eye: (
    <>
      <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8z" />
      <circle cx="8" cy="8" r="1.75" />
    </>
  ),
  terminal: <path d="m3 4.5 3.25 3.5L3 11.5M8 11.75h5" />,
  test: (
    <path d="M6.25 2.25v4L2.9 12a1.15 1.15 0 0 0 1 1.75h8.2a1.15 1.15 0 0 0 1-1.75L9.75 6.25v-4M5 2.25h6M4.75 10h6.5" />
  ),
  commit: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M1.75 8H5.5M10.5 8h3.75" />
    </>
  ),
  refuse: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.25 4.25 7.5 7.5" />
    </>
  ),
  user: (
    <>
      <circle cx="8" cy="5.25" r="2.5" />
      <path d="M3 13.5c.5-2.6 2.5-4 5-4s4.5 1.4 5 4" />
    </>
  ),
  against: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M5.25 8h5.5" />
    </>
  ),
  sort: <path d="M4.5 3v10M2.25 10.5 4.5 13l2.25-2.5M9 4.5h5M9 8h3.5M9 11.5h2" />,
  bell: <path d="M4 11V7a4 4 0 0 1 8 0v4l1 1.25H3zM6.75 14h2.5" />,
  note: (
    <path d="M3 3.25c0-.4.35-.75.75-.75h8.5c.4 0 .75.35.75.75V9.5L9 13.5H3.75a.75.75 0 0 1-.75-.75zM13 9.5H9.75a.75.75 0 0 0-.75.75v3.25" />
  ),
  stale: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5V5h-2.5" />,
  stop: <path d="M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.5M8 11v.01" />,
  star: <path d="m8 2.25 1.75 3.6 3.95.55-2.85 2.8.65 3.95L8 11.3l-3.5 1.85.65-3.95L2.3 6.4l3.95-.55z" />,
  filter: <path d="M2.5 3.5h11M4.5 8h7M6.5 12.5h3" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
} satisfies Record<string, JSX.Element>;

export type IconName = keyof typeof shapes;

export const Icon = ({ name, size }: { name: IconName; size?: number }) => (
  <svg
    class="i"
    viewBox="0 0 16 16"
    aria-hidden="true"
    style={size ? { width: `${size}px`, height: `${size}px` } : undefined}
  >
    {shapes[name]}
  </svg>
);

export const Logo = () => (
  <svg class="logo" viewBox="0 0 18 18" aria-hidden="true" fill="none">
    <rect x="1" y="1" width="16" height="16" rx="4.5" fill="currentColor" />
    <path
      d="M4.6 6.2h3.1c1 0 1.5.6 1.5 1.5v2.6c0 .9.5 1.5 1.5 1.5h2.7M4.6 6.2h8.8"
      stroke="var(--panel)"
      stroke-width="1.5"
      stroke-linecap="round"
    />
  </svg>
);
