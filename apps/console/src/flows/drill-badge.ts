import type { Drill } from '../api/shapes.js';
import type { IconName } from '../ui/icons.js';
import { WORDS } from '../words.js';

const { drill: TEXT } = WORDS.flows;

/** How a flow fared in its drills, in words and by a drawing: never by colour alone. */
interface DrillBadge {
  readonly words: string;
  readonly icon: IconName;
  readonly tone: 'good' | 'bad' | 'wait' | 'quiet';
}

/** The badge of a version; a drill may be of an older one. */
export function drillBadge(drill: Drill | null | undefined, version: number): DrillBadge {
  if (!drill) return { words: TEXT.never, icon: 'dash', tone: 'quiet' };
  const isOlder = drill.version !== version;
  if (!drill.passed) {
    const words = TEXT.failed(drill.failures, drill.total);
    const where = isOlder ? `${words} ${TEXT.at(drill.version)}` : words;
    return { words: where, icon: 'cross', tone: 'bad' };
  }
  if (isOlder) {
    return { words: `${TEXT.passed} ${TEXT.at(drill.version)}`, icon: 'clock', tone: 'wait' };
  }
  return { words: TEXT.passed, icon: 'check', tone: 'good' };
}
