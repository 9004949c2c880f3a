import type { ComponentChildren, JSX, Ref } from 'preact';

interface ScrolledProps {
  readonly name: string;
  /** For the element that scrolls. */
  readonly box?: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}

/** A place for a table that may be larger than the page: it is scrolled, also by the keyboard. */
export function Scrolled({ box, children, name }: ScrolledProps): JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div class="scrolled" ref={box ?? null} tabIndex={0} role="group" aria-label={name}>
      {children}
    </div>
  );
}
