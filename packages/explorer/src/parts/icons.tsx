// Icons of 16 × 16 units, drawn with the colour of the text, and the mark of the product.

/** Outlines by name: one entry per page of the rail, then those of buttons. */
const OUTLINES = {
  overview: 'M2 13.5h12M4.5 11V8.5M8 11V3.5M11.5 11V6',
  activity: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  blocks: 'M8 1.8l5.5 3v6.4l-5.5 3-5.5-3V4.8zM2.5 4.8l5.5 3 5.5-3M8 7.8v6.4',
  transactions: 'M2 5h11M10.5 2.5L13 5l-2.5 2.5M14 11H3M5.5 8.5L3 11l2.5 2.5',
  events: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
  messages: 'M2 3.5h12v9H2zM2 4l6 5 6-5',
  accounts:
    'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.75 14c.4-2.9 2.5-4.25 5.25-4.25s4.85 1.35 5.25 4.25',
  contracts: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M5.5 8h5M5.5 11h5',
  classes:
    'M6 2.5c-1.6 0-2 .8-2 2v1.7C4 7.3 3.4 8 2.5 8c.9 0 1.5.7 1.5 1.8v1.7c0 1.2.4 2 2 2M10 2.5c1.6 0 2 .8 2 2v1.7c0 1.1.6 1.8 1.5 1.8-.9 0-1.5.7-1.5 1.8v1.7c0 1.2-.4 2-2 2',
  timeline: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2.5v2.8h2.8M8 5v3.2l2.2 1.4',
  simulate:
    'M6 1.5h4M6.8 1.5v4.3L3 12.6c-.4.9.1 1.9 1.1 1.9h7.8c1 0 1.5-1 1.1-1.9L9.2 5.8V1.5M5 10.5h6',
  console: 'M1.8 2.8h12.4v10.4H1.8zM4.3 6l2 2-2 2M8.3 10h3.4',
  requests: 'M4.5 13V3M2.5 5l2-2 2 2M11.5 3v10M9.5 11l2 2 2-2',
  gas: 'M8 1.5c.5 2.5 4 4.2 4 7.8a4 4 0 0 1-8 0c0-1.7.8-2.8 1.7-3.8.3 1 .8 1.5 1.4 1.7C6.8 5 7 3 8 1.5z',
  control: 'M2 4.5h5.5M11 4.5h3M2 11.5h2.5M8 11.5h6M9.25 2.75v3.5M6.25 9.75v3.5',
  node: 'M2 2.5h12V7H2zM2 9h12v4.5H2zM4.25 4.75h1M4.25 11.25h1',
  instances:
    'M4.5 4.5v7M4.5 4.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 14.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6c0 3.5-7 1.5-7 5.5',
  mempool:
    'M3.5 1.5h9M3.5 14.5h9M4.5 1.5v2.3c0 1.8 3.5 2.8 3.5 4.2s-3.5 2.4-3.5 4.2v2.3M11.5 1.5v2.3C11.5 5.6 8 6.6 8 8s3.5 2.4 3.5 4.2v2.3',
  rules:
    'M8 1.5l5.5 2v4.3c0 3.3-2.3 5.6-5.5 6.7-3.2-1.1-5.5-3.4-5.5-6.7V3.5zM5.5 7.8l1.8 1.8L10.7 6',
  mint: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5.3v5.4M5.3 8h5.4',
  key: 'M5 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 8h6.2v3M11.2 8v2',
  impersonate:
    'M2 3.8c2-.6 4-.8 6-.8s4 .2 6 .8v3.5C14 11 11.3 13 8 13s-6-2-6-5.7zM4.4 7.4c.8-.7 1.7-.7 2.5 0M9.1 7.4c.8-.7 1.7-.7 2.5 0',
  search: 'M11 11l3.5 3.5M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  done: 'M3 8.5l3.2 3.2L13 4.5',
  light:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1',
  dark: 'M13.5 9.6A5.7 5.7 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M8 5h4.9M8 8h6M8 11h4.9',
  down: 'M4 6.25L8 10.25l4-4',
  up: 'M4 9.75L8 5.75l4 4',
  right: 'M6.25 4L10.25 8l-4 4',
  left: 'M9.75 4L5.75 8l4 4',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  changed: 'M8 2v7M4.5 5.5h7M4.5 13h7',
  succeeded: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5zM5.25 8.25l2 2 3.6-4',
  failed:
    'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5zM5.75 5.75l4.5 4.5M10.25 5.75l-4.5 4.5',
  warning: 'M8 2.25l6.25 11.5H1.75zM8 6.5v3.25M8 11.5v.75',
  stopped: 'M3.5 3.5h9v9h-9z',
  dot: 'M8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  ring: 'M8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  pending: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5zM8 4.75V8l2.25 1.5',
  settled: 'M8 1.75l5.25 2v4c0 3.1-2.2 5.4-5.25 6.5-3.05-1.1-5.25-3.4-5.25-6.5v-4zM8 5v6M5.5 8h5',
  open: 'M9.5 2.5h4v4M13.5 2.5L7.5 8.5M11.5 9.5v4h-9v-9h4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  info: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5zM8 7.25v4M8 4.75v.75',
  close: 'M4 4l8 8M12 4l-8 8',
  snapshot: 'M8 2l6 6-6 6-6-6z',
  send: 'M14 2L7 9M14 2l-4.5 12L7 9 2 6.5z',
  debug:
    'M5 6.5a3 3 0 0 1 6 0V10a3 3 0 0 1-6 0zM5 8.5H2M14 8.5h-3M5 6L2.5 4M11 6l2.5-2M5 11l-2.5 2M11 11l2.5 2',
  recent: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.3 1.6',
  zoomIn: 'M10.5 10.5l4 4M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM7 5v4M5 7h4',
  zoomOut: 'M10.5 10.5l4 4M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM5 7h4',
} as const;

/** Shapes that are filled. */
const FILLED: ReadonlySet<string> = new Set(['dot', 'stopped']);

export type IconName = keyof typeof OUTLINES;

/** Always beside a word, or in a control with an accessible name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      className={FILLED.has(name) ? 'icon-svg is-filled' : 'icon-svg'}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={OUTLINES[name]} />
    </svg>
  );
}

/** The mark: an angular S in a box. `public/icon.svg` is the same with fixed colours. */
export function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
      <rect className="ground" width="16" height="16" rx="3.5" />
      <path className="letter" d="M12 4.5H4.5V8h7v3.5H4" />
    </svg>
  );
}
