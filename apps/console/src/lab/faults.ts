import { useMemo, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import { type Fault, FAULT_KINDS, type FaultKind } from '../api/shapes.js';
import { usePaced } from '../ui/polled.js';
import { WORDS } from '../words.js';

const EVERY_MS = 10_000;
const GAP_MS = 2_000;

/** The switches of one flow. */
export interface Faults {
  /** By the names of steps; null: this Backstep has no switches. */
  readonly kinds: ReadonlyMap<string, FaultKind> | null;
  /** Why the last change was refused; null: it was not. */
  readonly refusal: Refused | null;
  /** Switches a step over; null: off. */
  readonly set: (step: string, kind: FaultKind | null) => void;
}

/** The switches of all flows. */
interface FaultList {
  readonly items: readonly Fault[];
}

/** A change made on this page; it is shown until the next poll is answered. */
interface Said {
  readonly after: unknown;
  readonly step: string;
  readonly kind: FaultKind | null;
}

/** Whether this Backstep has switches, which only a new start of it changes; null: not known. */
let areThere: boolean | null = null;

/** Null: this Backstep has no switches. Their address is asked for where it is alone. */
async function readFaults(signal: AbortSignal): Promise<FaultList | null> {
  areThere ??= await api.hasFaultSwitches(signal);
  return areThere ? api.faults(signal) : null;
}

/**
 * Follows the switches of a flow, and changes them. An attempt may turn one off: they are asked for
 * again with each revision of a task.
 */
export function useFaults(flow: string, revision = 0): Faults {
  const [changes, count] = useState(0);
  const pace = { everyMs: EVERY_MS, gapMs: GAP_MS, wish: `${revision} ${changes}` };
  const { value } = usePaced('faults', readFaults, pace);
  const [said, say] = useState<Said | null>(null);
  const [refusal, refuse] = useState<Refused | null>(null);
  const set = (step: string, kind: FaultKind | null): void => {
    say({ after: value, step, kind });
    refuse(null);
    const setting = api.setFault({ flow, step }, kind).catch((error: unknown) => {
      say(null);
      if (error instanceof Refused) refuse(error);
    });
    // An answer that was under way may be of the time before.
    void setting.then(() => count((before) => before + 1));
  };
  // The same object where nothing differs: a page draws its graph again for another one.
  return useMemo(() => {
    if (value === null) return { kinds: null, refusal, set };
    const kinds = kindsOf(value.items, flow);
    if (said?.after === value) {
      if (said.kind === null) kinds.delete(said.step);
      else kinds.set(said.step, said.kind);
    }
    return { kinds, refusal, set };
  }, [value, said, refusal, flow]);
}

function kindsOf(items: readonly Fault[], flow: string): Map<string, FaultKind> {
  const own = items.filter((one) => one.flow === flow && FAULT_KINDS.includes(one.kind));
  return new Map(own.map(({ kind, step }) => [step, kind]));
}

/** The badges of nodes of the graph, by the names of steps. */
export function badgesOf({ kinds }: Faults): ReadonlyMap<string, string> {
  return new Map([...(kinds ?? [])].map(([step, kind]) => [step, WORDS.lab.badges[kind]]));
}
