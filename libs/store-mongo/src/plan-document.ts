import { createHash } from 'node:crypto';
import { type Action, type CommandStep, type FlowDefinition, type GroupStep } from '#core';
import { readStoredJson, readList, type StepPlan, type Template } from '#core';
import { fromSafeOrNull, toJson, toSafeOrNull, toText } from './bson-values.js';

/** One half of a step as stored. */
interface ActionDocument extends Omit<Action, 'parameters'> {
  /** JSON text. */
  readonly parameters: string | null;
}

/** A step that is a command, as stored. */
interface CommandDocument extends Pick<CommandStep, 'name' | 'needs'> {
  readonly normal: ActionDocument;
  readonly rollback: ActionDocument | null;
}

/** A step that holds steps, as stored. */
interface GroupDocument extends Pick<GroupStep, 'name' | 'needs' | 'retry' | 'timeoutMs'> {
  readonly group: readonly StepDocument[];
}

/** Any other step as stored: its templates may have members of any name. */
interface TextDocument extends Pick<StepPlan, 'name' | 'needs'> {
  /** JSON text of the whole step. */
  readonly text: string;
}

/** One entry of a flow as stored. */
type StepDocument = CommandDocument | GroupDocument | TextDocument;

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
  readonly steps: readonly StepDocument[];
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
    steps: definition.steps.map(stepToDocument),
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
    steps: stepsOf(document),
  };
}

function labelsOf(text: string): NonNullable<FlowDefinition['labels']> {
  return (toJson(text, 'labels') ?? {}) as NonNullable<FlowDefinition['labels']>;
}

function stepsOf({ steps }: Pick<StepsDocument, 'steps'>): readonly StepPlan[] {
  return readList(steps, 'plan.steps').map(documentToStep);
}

/** Members of steps that are stored one by one; the steps of a group are stored in its members. */
const PLAIN = new Set(['name', 'needs', 'normal', 'rollback', 'group', 'retry', 'timeoutMs']);

function stepToDocument(step: StepPlan): StepDocument {
  const { name, needs } = step;
  const isPlain = Object.keys(step).every((member) => PLAIN.has(member));
  if (isPlain && step.group !== undefined) {
    const { group, retry, timeoutMs } = step;
    return { name, needs, group: group.map(stepToDocument), retry, timeoutMs };
  }
  if (!isPlain || step.normal === undefined) return { name, needs, text: JSON.stringify(step) };
  const { normal, rollback } = step;
  return {
    name,
    needs,
    normal: actionToDocument(normal),
    rollback: rollback === null ? null : actionToDocument(rollback),
  };
}

function documentToStep(document: StepDocument): StepPlan {
  if ('text' in document) return readStoredJson(document.text, 'a step') as StepPlan;
  if ('group' in document) {
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
