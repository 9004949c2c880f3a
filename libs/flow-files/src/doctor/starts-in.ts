import { templatesOf } from '#core';
import { isExpression } from '#expressions';
import type { BuiltFlow } from '../build-flow.js';
import { joinPointer } from '../json-pointer.js';
import { startOf } from './flow-outline.js';
import { listsOf, memberOf } from './list-view.js';

/** A flow of which tasks are started by those of another one. */
export interface NamedStart {
  /** Null: an expression tells it when the step is reached, or steps that it comes to. */
  readonly flow: string | null;
  /** Null: the newest. */
  readonly version: number | null;
  /** To what names it. */
  readonly pointer: string;
}

/** All flows of which the tasks of a flow start others: child tasks, and its failure flow. */
export function startsIn({ definition, origins }: BuiltFlow, pointer: string): NamedStart[] {
  const { failureFlow } = definition;
  const starts: NamedStart[] = [];
  if (failureFlow !== undefined) {
    starts.push({ flow: failureFlow, version: null, pointer: joinPointer(pointer, 'failureFlow') });
  }
  for (const step of [...listsOf(definition)].flatMap(({ steps }) => steps)) {
    for (const { as, path } of templatesOf(step)) {
      if (as !== 'steps') continue;
      starts.push({ flow: null, version: null, pointer: memberOf(step, origins, ...path) });
    }
    const start = startOf(step);
    if (start === null) continue;
    const flow = isExpression(start.name) ? null : start.name;
    starts.push({ flow, version: start.version, pointer: memberOf(step, origins, ...start.path) });
  }
  return starts;
}
