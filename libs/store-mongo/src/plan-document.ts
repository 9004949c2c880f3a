import { createHash } from 'node:crypto';
import { type Action, type CommandStep, type FlowDefinition, type GroupStep } from '#core';
import { readList, type StepPlan } from '#core';
import { fromSafeOrNull, toJson, toSafeOrNull, toText } from './bson-values.js';

/** One half of a step as stored. */
export interface ActionDocument extends Omit<Action, 'parameters'> {
  /** JSON text. */
  readonly parameters: string | null;
}

/** A step that is a command, as stored. */
interface CommandDocument extends Omit<CommandStep, 'normal' | 'rollback'> {
  readonly normal: ActionDocument;
  readonly rollback: ActionDocument | null;
}

/** A step that holds steps, as stored. */
interface GroupDocument extends Omit<GroupStep, 'group'> {
  readonly group: readonly StepDocument[];
}

/** One entry of a flow as stored. */
export type StepDocument = CommandDocument | GroupDocument;

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
    input: toJson(document.input, 'input'),
    steps: stepsOf(document),
  };
}

function stepsOf({ steps }: Pick<StepsDocument, 'steps'>): readonly StepPlan[] {
  return readList(steps, 'plan.steps').map(documentToStep);
}

function stepToDocument(step: StepPlan): StepDocument {
  if (step.group !== undefined) return { ...step, group: step.group.map(stepToDocument) };
  const { normal, rollback } = step;
  return {
    ...step,
    normal: actionToDocument(normal),
    rollback: rollback === null ? null : actionToDocument(rollback),
  };
}

function documentToStep(document: StepDocument): StepPlan {
  if (document.group !== undefined) {
    return { ...document, group: readList(document.group, 'a group').map(documentToStep) };
  }
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
  return { ...document, parameters: toJson(document.parameters, 'parameters of a step') };
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
    const steps = stepsOf(document);
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
