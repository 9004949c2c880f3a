import type { JSX } from 'preact';

/** Lines of each icon, on a square of 16. */
const PATHS = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  dot: 'M8 7.5h.01v.01H8z',
  clock: 'M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0',
  play: 'M5.5 3.5v9l7-4.5z',
  pause: 'M5.5 4v8M10.5 4v8',
  stop: 'M4.5 4.5h7v7h-7z',
  back: 'M13 12.5V9.5A3.5 3.5 0 0 0 9.5 6H3.5M6 3 3 6l3 3',
  alert: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.7v.01',
  hand: 'M8 2.5v6M5 4v5.5M11 4v5.5M13 6.5V10a4.5 4.5 0 0 1-9 .5L2.5 8',
  dash: 'M4 8h8',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  half: 'M8 2.5v11M8 2.5a5.5 5.5 0 0 1 0 11 5.5 5.5 0 0 1 0-11z',
  keys: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6',
  open: 'M4 6l4 4 4-4',
  folded: 'M6 4l4 4-4 4',
  pivot: 'M4 2.5v11M4 3h8l-2 2.75L12 8.5H4',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5l3.5 3.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words; by itself it says nothing to assistive technology. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
