import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '#core';
import { isObject } from '#core/json';
import { pointerPart } from '#json';
import type { Shown } from '../requests/shown.js';
import type { PublicFlow } from './flow.presenter.js';

/** How two versions of a flow differ. */
type FlowDiff = Shown<'FlowDiff'>;

/** A step that only one of two versions has. */
type StepPlace = FlowDiff['added'][number];

/** A member with another value; a value that is absent: the member is. */
type MemberChange = FlowDiff['members'][number];

/** Where two values stand that are compared. */
interface Place {
  readonly from: string;
  readonly to: string;
  /** The step that has them; under no name it is the flow. */
  readonly holder: StepPlace;
}

type Members = Readonly<Record<string, unknown>>;
type Step = Members & { readonly name: string };

/** The steps added and removed, and the members changed, from one version to another. */
export function diffFlows(from: PublicFlow, to: PublicFlow): FlowDiff {
  const comparison = new Comparison();
  comparison.compareMembers(contentOf(from), contentOf(to), {
    from: '',
    to: '',
    holder: { step: '', pointer: '' },
  });
  const { added, changes, removed } = comparison;
  const members = changes.get('')?.members ?? [];
  changes.delete('');
  const changed = [...changes.values()];
  return { flow: to.name, from: from.version, to: to.version, added, removed, changed, members };
}

/** The members of a flow that its author wrote. */
function contentOf({ hash: _hash, name: _name, timeCreate: _time, ...flow }: PublicFlow): Members {
  const { version: _version, ...content } = flow;
  return { ...content };
}

/** Collects what differs. */
class Comparison {
  readonly added: StepPlace[] = [];
  readonly removed: StepPlace[] = [];
  /** By the steps that they are in; those of the flow itself under no name. */
  readonly changes = new Map<string, StepPlace & { readonly members: MemberChange[] }>();

  compareMembers(from: Members, to: Members, place: Place): void {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const part = pointerPart(name);
      const inner = { ...place, from: place.from + part, to: place.to + part };
      this.compare(from[name], to[name], inner);
    }
  }

  private compare(from: unknown, to: unknown, place: Place): void {
    if (isDeepStrictEqual(from, to)) return;
    if (isStepList(from) && isStepList(to)) this.compareSteps(from, to, place);
    else if (isObject(from) && isObject(to)) this.compareMembers(from, to, place);
    else if (isNamedList(from) && isNamedList(to)) this.compareLists(from, to, place);
    else this.change(from, to, place);
  }

  private compareSteps(from: readonly Step[], to: readonly Step[], place: Place): void {
    const before = positionsOf(from);
    const after = positionsOf(to);
    const pathOf = (name: string): string => {
      const { step } = place.holder;
      return step === '' ? name : `${step}/${name}`;
    };
    for (const [name, i] of before) {
      const here = { step: pathOf(name), pointer: `${place.from}/${i}` };
      if (!after.has(name)) this.removed.push(here);
    }
    for (const [name, i] of after) {
      const holder = { step: pathOf(name), pointer: `${place.to}/${i}` };
      const old = before.get(name);
      if (old === undefined) {
        this.added.push(holder);
        continue;
      }
      const inner = { holder, from: `${place.from}/${old}`, to: holder.pointer };
      this.compareMembers(from[old] ?? {}, to[i] ?? {}, inner);
    }
  }

  /** Cases and branches: those of one position belong together. */
  private compareLists(from: readonly Members[], to: readonly Members[], place: Place): void {
    for (const [i, item] of to.entries()) {
      const inner = { ...place, from: `${place.from}/${i}`, to: `${place.to}/${i}` };
      this.compare(from[i], item, inner);
    }
    for (const [i, item] of [...from.entries()].slice(to.length)) {
      this.change(item, undefined, { ...place, to: `${place.from}/${i}` });
    }
  }

  private change(from: unknown, to: unknown, place: Place): void {
    const { holder } = place;
    const pointer = to === undefined ? place.from : place.to;
    const known = this.changes.get(holder.step) ?? { ...holder, members: [] };
    this.changes.set(holder.step, known);
    const values: Pick<MemberChange, 'from' | 'to'> = {
      ...(from !== undefined && { from: from as JsonValue }),
      ...(to !== undefined && { to: to as JsonValue }),
    };
    known.members.push({ pointer, ...values });
  }
}

function positionsOf(steps: readonly Step[]): ReadonlyMap<string, number> {
  return new Map(steps.map(({ name }, i) => [name, i]));
}

function isStepList(value: unknown): value is readonly Step[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && 'needs' in item);
}

function isNamedList(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && 'steps' in item);
}
