import type { ComponentChildren, JSX } from 'preact';

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** A name and what stands for it, in a `dl` of the class `facts`. */
export function Fact({ children, name }: FactProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
