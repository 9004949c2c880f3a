import type { ComponentChildren, JSX } from 'preact';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';
import { useRights } from './session.js';

interface RulersOnlyProps {
  /** Of the page. */
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page about everything at once: others are told so, and nothing is asked for in their name. */
export function RulersOnly({ children, title }: RulersOnlyProps): JSX.Element {
  const { isKnown, isRuler } = useRights();
  if (isRuler) return <>{children}</>;
  return (
    <>
      <PageHead title={title} />
      <p class="empty">{isKnown ? WORDS.rulersOnly : WORDS.loading}</p>
    </>
  );
}
