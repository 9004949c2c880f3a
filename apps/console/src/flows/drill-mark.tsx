import type { JSX } from 'preact';
import type { Flow } from '../api/shapes.js';
import { Icon } from '../ui/icons.js';
import { drillBadge } from './drill-badge.js';

/** How a version of a flow fared in its drills. */
export function DrillMark({ flow }: { readonly flow: Flow }): JSX.Element {
  const { icon, tone, words } = drillBadge(flow.drill, flow.version);
  return (
    <span class={`state tone-${tone}`}>
      <Icon name={icon} />
      {words}
    </span>
  );
}
