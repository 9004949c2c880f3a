import { createHash } from 'node:crypto';
import type { Action, FlowDefinition, StepPlan } from '#core';
import { fromSafeOrNull, toJson, toSafeOrNull, toText } from './bson-values.js';

/** One half of a step as stored. */
export interface ActionDocument extends Omit<Action, 'parameters'> {
  /** JSON text. */
  readonly parameters: string | null;
}

/** One entry of a flow as stored. */
export interface StepDocument extends Omit<StepPlan, 'normal' | 'rollback'> {
  readonly normal: ActionDocument;
  readonly rollback: ActionDocument | null;
}

/** A flow's definition as stored. */
export interface DefinitionDocument extends Omit<FlowDefinition, 'input' | 'steps'> {
  /** JSON text. */
  readonly input: string | null;
  readonly steps: readonly StepDocument[];
}

/** Stored form of a flow's definition. */
export function definitionToDocument(definition: FlowDefinition): DefinitionDocument {
  return {
    ...definition,
    description: toSafeOrNull(definition.description),
    input: toText(definition.input),
    steps: definition.steps.map(stepToDocument),
  };
}

/** The definition behind its stored form. */
export function documentToDefinition(document: DefinitionDocument): FlowDefinition {
  return {
    ...document,
    description: fromSafeOrNull(document.description),
    input: toJson(document.input),
    steps: document.steps.map(documentToStep),
  };
}

function stepToDocument(step: StepPlan): StepDocument {
  const { normal, rollback } = step;
  return {
    ...step,
    normal: actionToDocument(normal),
    rollback: rollback === null ? null : actionToDocument(rollback),
  };
}

function documentToStep(document: StepDocument): StepPlan {
  const { normal, rollback } = document;
  return {
    ...document,
    normal: documentToAction(normal),
    rollback: rollback === null ? null : documentToAction(rollback),
  };
}

function actionToDocument(action: Action): ActionDocument {
  return { ...action, parameters: toText(action.parameters) };
}

function documentToAction(document: ActionDocument): Action {
  return { ...document, parameters: toJson(document.parameters) };
}

/** The steps of a task as stored, with a name for exactly these steps. */
export interface StepsDocument {
  readonly steps: readonly StepDocument[];
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
    const documents = steps.map(stepToDocument);
    const stepsHash = createHash('sha256').update(JSON.stringify(documents)).digest('hex');
    const made = { steps: documents, stepsHash };
    this.documents.set(steps, made);
    this.keep(stepsHash, steps);
    return made;
  }

  fromDocument(document: StepsDocument): readonly StepPlan[] {
    const known = this.byHash.get(document.stepsHash);
    if (known !== undefined) return known;
    const steps = document.steps.map(documentToStep);
    this.keep(document.stepsHash, steps);
    return steps;
  }

  private keep(hash: string, steps: readonly StepPlan[]): void {
    const [oldest] = this.byHash.keys();
    if (oldest !== undefined && this.byHash.size >= KEPT) this.byHash.delete(oldest);
    this.byHash.set(hash, steps);
  }
}
