import { isNumber, longNumberIn } from '../api/long-number.js';
import type { Json } from '../api/shapes.js';
import { type Fields, recordOf, textOf } from '#kinds';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';
import { resolved, type Schema, typesOf } from './schema-walk.js';
import type { CommandName, StepChange } from './step-edit.js';
import type { Known } from './suggest.js';
import { nodeAt, type TextPath } from './text-edit.js';

/** How the undo of a step is written. */
export type UndoChoice = 'command' | 'none' | 'unsaid';

/** The fields of the form of a step, as texts. */
export interface StepForm {
  readonly name: string;
  /** `module.command` */
  readonly command: string;
  readonly undo: UndoChoice;
  readonly undoCommand: string;
  readonly needs: readonly string[];
  /** Those that were typed, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A parameter that a form can ask for. */
export interface ParameterField {
  readonly name: string;
  readonly about: string;
  readonly isNeeded: boolean;
  readonly choices: readonly string[];
  /** As it is written. */
  readonly start: string;
  readonly types: readonly string[];
}

/** The parameters of a step: those that a form can ask for, and those it leaves to the text. */
export interface ParameterFields {
  readonly fields: readonly ParameterField[];
  readonly others: readonly string[];
}

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const SIMPLE = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** `module.command` of an action; empty: there is none. */
function commandText(action: unknown): string {
  const { command, module } = recordOf(action);
  const isThere = textOf(command) !== '' || textOf(module) !== '';
  return isThere ? `${textOf(module)}.${textOf(command)}` : '';
}

/** The form of a step as it is written. */
export function formOf(step: Fields, name: string, needs: readonly string[]): StepForm {
  const { rollback } = step;
  const undo = rollback === undefined ? 'unsaid' : rollback === null ? 'none' : 'command';
  const command = commandText(step['normal']);
  return { name, command, undo, undoCommand: commandText(rollback), needs, parameters: {} };
}

interface ParameterPlace {
  readonly text: string;
  /** Of the parameters; null: they are not written yet. */
  readonly path: TextPath | null;
  readonly command: string;
  readonly known: Known;
}

/** The parameters that a command announces, and those that are written. */
export function parameterFields(place: ParameterPlace): ParameterFields {
  const { command, known, path, text } = place;
  const schema = (known.commands.get(command) ?? {}) as Schema & { required?: readonly string[] };
  const node = path === null ? undefined : nodeAt(text, path);
  const written = new Map(
    (node?.children ?? []).map(({ children = [] }) => [String(children[0]?.value), children[1]]),
  );
  const names = [...new Set([...Object.keys(schema.properties ?? {}), ...written.keys()])];
  const fields: ParameterField[] = [];
  const others: string[] = [];
  for (const name of names) {
    const value = written.get(name);
    const member = resolved(schema.properties?.[name]) ?? {};
    const types = typesOf(member);
    const isOpen = value !== undefined || member.enum !== undefined;
    const isSimple = types.length === 0 ? isOpen : types.every((one) => SIMPLE.has(one));
    if (!isSimple || value?.children !== undefined) {
      if (value !== undefined) others.push(name);
      continue;
    }
    const isText = value?.type === 'string';
    const source = value === undefined ? '' : text.slice(value.offset, value.offset + value.length);
    fields.push({
      name,
      about: member.description ?? member.title ?? '',
      isNeeded: schema.required?.includes(name) === true,
      choices: [...(member.enum ?? []), ...(types.includes('boolean') ? [true, false] : [])].map(
        (one) => (typeof one === 'string' ? one : JSON.stringify(one)),
      ),
      start: isText ? textOf(value.value) : source,
      types: types.length === 0 && value !== undefined ? [value.type] : types,
    });
  }
  return { fields, others };
}

/** The form as a change of the step; a text instead says what is wrong with it. */
export function changeOf(
  form: StepForm,
  fields: readonly ParameterField[],
  taken: readonly string[],
): StepChange | string {
  const { step: words } = EDITOR;
  const fault = nameFault(form.name, taken);
  if (fault !== null) return fault;
  const normal = commandOf(form.command);
  const undone = form.undo === 'command' ? commandOf(form.undoCommand) : null;
  if (normal === null || (form.undo === 'command' && undone === null)) return words.wrongCommand;
  const parameters: Record<string, Json | undefined> = {};
  for (const [name, text] of Object.entries(form.parameters)) {
    const field = fields.find((one) => one.name === name);
    if (field === undefined || text === field.start) continue;
    const value = valueOf(field, text);
    if ('fault' in value) return value.fault;
    parameters[name] = value.value;
  }
  const rollback = form.undo === 'unsaid' ? undefined : undone;
  return { name: form.name, normal, rollback, parameters };
}

/** Why a step cannot have a name; null: it can. */
export function nameFault(name: string, taken: readonly string[]): string | null {
  if (!NAME.test(name)) return EDITOR.step.wrongName;
  return taken.includes(name) ? EDITOR.step.takenName : null;
}

/** Modules have no dot in their names that matters: the first one ends them. */
function commandOf(text: string): CommandName | null {
  const [, module, command] = /^([^.\s]+)\.(\S+)$/.exec(text.trim()) ?? [];
  return module === undefined || command === undefined ? null : { module, command };
}

type Value = { readonly value: Json | undefined } | { readonly fault: string };

function valueOf({ name, types }: ParameterField, text: string): Value {
  if (text === '') return { value: undefined };
  if (text.startsWith('{%')) return { value: text };
  const isAny = types.length === 0;
  if (isNumber(text) && (isAny || types.includes('number') || types.includes('integer'))) {
    const long = longNumberIn(text);
    return long === null
      ? { value: Number(text) }
      : { fault: `${name}: ${WORDS.dialog.longNumber(long)}` };
  }
  if (isAny || types.includes('boolean')) {
    if (text === 'true' || text === 'false') return { value: text === 'true' };
  }
  if (types.includes('null') && text === 'null') return { value: null };
  if (isAny || types.includes('string')) return { value: text };
  const kind = types.includes('boolean') ? 'yes-no' : 'number';
  return { fault: WORDS.flows.notKind(name, WORDS.flows.kinds[kind]) };
}
