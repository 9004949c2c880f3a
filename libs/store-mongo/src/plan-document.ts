import { hash } from 'node:crypto';
import type { FlowDefinition, StepPlan, Template } from '#core';
import { readList, readStoredJson } from '#core/json';
import { fromSafeOrNull, toJson, toSafeOrNull, toText } from './bson-values.js';

/** A flow's definition as stored. */
export interface DefinitionDocument extends Omit<
  FlowDefinition,
  'input' | 'steps' | 'constants' | 'output' | 'labels'
> {
  /** JSON text. */
  readonly input: string | null;
  /** JSON text; absent as in the definition. */
  readonly constants?: string;
  /** The same. */
  readonly output?: string;
  /** The same. */
  readonly labels?: string;
  /** The same. */
  readonly steps: string;
}

/** Stored form of a flow's definition. */
export function definitionToDocument({
  constants,
  labels,
  output,
  ...definition
}: FlowDefinition): DefinitionDocument {
  return {
    ...definition,
    ...(constants === undefined ? {} : { constants: JSON.stringify(constants) }),
    ...(output === undefined ? {} : { output: JSON.stringify(output) }),
    ...(labels === undefined ? {} : { labels: JSON.stringify(labels) }),
    description: toSafeOrNull(definition.description),
    input: toText(definition.input),
    steps: JSON.stringify(definition.steps),
  };
}

/** The definition behind its stored form. */
export function documentToDefinition({
  constants,
  labels,
  output,
  ...document
}: DefinitionDocument): FlowDefinition {
  return {
    ...document,
    ...(constants === undefined ? {} : { constants: toJson(constants, 'constants') ?? {} }),
    ...(output === undefined ? {} : { output: readStoredJson(output, 'output') as Template }),
    ...(labels === undefined ? {} : { labels: labelsOf(labels) }),
    description: fromSafeOrNull(document.description),
    input: toJson(document.input, 'input'),
    steps: stepsOf(document.steps),
  };
}

function labelsOf(text: string): NonNullable<FlowDefinition['labels']> {
  return (toJson(text, 'labels') ?? {}) as NonNullable<FlowDefinition['labels']>;
}

function stepsOf(text: string): readonly StepPlan[] {
  return readList(readStoredJson(text, 'plan.steps') as readonly StepPlan[], 'plan.steps');
}

/** The steps of a task as stored, with a name for exactly these steps. */
export interface StepsDocument {
  /** JSON text. */
  readonly steps: string;
  readonly stepsHash: string;
}

/** Most step lists that are kept in memory. */
const KEPT = 256;

/**
 * Step lists by their hash, so that tasks of one flow version share one object, as those of one
 * process do that made them itself.
 */
export class StepLists {
  private readonly byHash = new Map<string, readonly StepPlan[]>();
  private readonly documents = new WeakMap<readonly StepPlan[], StepsDocument>();

  toDocument(steps: readonly StepPlan[]): StepsDocument {
    const known = this.documents.get(steps);
    if (known !== undefined) return known;
    const text = JSON.stringify(steps);
    const made = { steps: text, stepsHash: hash('sha256', text, 'hex') };
    this.documents.set(steps, made);
    this.keep(made.stepsHash, steps);
    return made;
  }

  fromDocument(document: StepsDocument): readonly StepPlan[] {
    const known = this.byHash.get(document.stepsHash);
    if (known !== undefined) return known;
    const steps = stepsOf(document.steps);
    this.keep(document.stepsHash, steps);
    return steps;
  }

  /** The steps of that hash, if they are in memory. */
  find(stepsHash: string): readonly StepPlan[] | undefined {
    return this.byHash.get(stepsHash);
  }

  private keep(hash: string, steps: readonly StepPlan[]): void {
    const [oldest] = this.byHash.keys();
    if (oldest !== undefined && this.byHash.size >= KEPT) this.byHash.delete(oldest);
    this.byHash.set(hash, steps);
  }
}
