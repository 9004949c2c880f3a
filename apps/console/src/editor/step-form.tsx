import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { freeName } from '#kinds';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';
import { NeedBoxes } from './need-form.js';
import type { StepChange } from './step-edit.js';
import {
  changeOf,
  type StepForm as Form,
  type ParameterField,
  type ParameterFields,
  type UndoChoice,
} from './step-fields.js';
import type { Known } from './suggest.js';
import { TextBox } from './text-box.js';

interface StepFormProps {
  readonly title: string;
  /** As the step is written. */
  readonly form: Form;
  readonly known: Known;
  /** Names of the other steps of its list. */
  readonly others: readonly string[];
  /** The parameters of a command. */
  readonly parametersOf: (command: string) => ParameterFields;
  readonly isGraph: boolean;
  readonly isNew: boolean;
  readonly onChange: (change: StepChange) => void;
  readonly onClose?: () => void;
}

const { step: TEXT } = EDITOR;
const UNDOS: readonly UndoChoice[] = ['command', 'none', 'unsaid'];

interface ParameterBoxesProps {
  readonly fields: readonly ParameterField[];
  readonly typed: Readonly<Record<string, string>>;
  readonly onType: (typed: Readonly<Record<string, string>>) => void;
}

/** The members of a step that runs a command. The command that undoes it is offered with it. */
export function StepForm(props: StepFormProps): JSX.Element {
  const { isGraph, isNew, known, onClose, others, title } = props;
  const id = useId();
  const { error, form, parameters, setCommand, submit, type } = useStepForm(props);
  const commands = [...known.commands.keys()];
  return (
    <form class="step-form" aria-labelledby={id} onSubmit={submit} noValidate>
      <h3 id={id}>{title}</h3>
      <div class="step-fields">
        <TextBox
          label={TEXT.command}
          value={form.command}
          choices={commands}
          isFirst={isNew}
          onType={setCommand}
        />
        <TextBox label={TEXT.name} value={form.name} onType={(name) => type({ name })} />
        <UndoFields {...{ form, type, commands }} />
      </div>
      {isGraph && (
        <NeedBoxes all={others} needs={form.needs} onNeeds={(needs) => type({ needs })} />
      )}
      <ParameterBoxes
        fields={parameters.fields}
        typed={form.parameters}
        onType={(typed) => type({ parameters: typed })}
      />
      {parameters.others.length > 0 && (
        <p class="faint">{`${TEXT.inText} ${parameters.others.join(', ')}`}</p>
      )}
      <p role="alert" class="error-text">
        {error}
      </p>
      <div class="buttons">
        {onClose && (
          <button type="button" onClick={onClose}>
            {WORDS.cancel}
          </button>
        )}
        <button type="submit" class="main">
          {isNew ? TEXT.add : TEXT.apply}
        </button>
      </div>
    </form>
  );
}

/** The fields as they are typed, over those that are written. */
function useStepForm(props: StepFormProps) {
  const { form: written, isGraph, isNew, known, onChange, others, parametersOf } = props;
  const [typed, set] = useState<Partial<Form>>({});
  const [error, say] = useState<string | null>(null);
  const form = { ...written, ...typed };
  const parameters = parametersOf(form.command);
  const type = (more: Partial<Form>): void => set({ ...typed, ...more });
  const setCommand = (command: string): void => {
    const undo = known.undos?.get(command);
    const offered = isNew && undo !== undefined && typed.undoCommand === undefined;
    type({ command, ...(offered && { undo: 'command', undoCommand: undo }) });
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const name = isNew && form.name === '' ? freeNameOf(form.command, others) : form.name;
    const change = changeOf({ ...form, name }, parameters.fields, others);
    if (typeof change === 'string') return say(change);
    const hasNeeds = isGraph && (isNew || typed.needs !== undefined);
    say(null);
    set({});
    onChange({ ...change, ...(hasNeeds && { needs: form.needs }) });
  };
  return { error, form, parameters, setCommand, submit, type };
}

interface UndoFieldsProps {
  readonly form: Form;
  readonly type: (more: Partial<Form>) => void;
  readonly commands: readonly string[];
}

function UndoFields({ commands, form, type }: UndoFieldsProps): JSX.Element {
  const id = useId();
  return (
    <>
      <div class="field">
        <label for={id}>{TEXT.undo}</label>
        <select
          id={id}
          value={form.undo}
          onChange={({ currentTarget }) => type({ undo: currentTarget.value as UndoChoice })}>
          {UNDOS.map((one) => (
            <option key={one} value={one}>
              {TEXT.undos[one]}
            </option>
          ))}
        </select>
      </div>
      {form.undo === 'command' && (
        <TextBox
          label={TEXT.undoCommand}
          value={form.undoCommand}
          choices={commands}
          onType={(undoCommand) => type({ undoCommand })}
        />
      )}
    </>
  );
}

/** The name that a step would have by its command, as the others are called. */
function freeNameOf(command: string, others: readonly string[]): string {
  const base = command.slice(command.indexOf('.') + 1);
  return freeName(base, new Set(others));
}

/** A box for each parameter that is a text, a number or the like. */
function ParameterBoxes({ fields, onType, typed }: ParameterBoxesProps): JSX.Element | null {
  if (fields.length === 0) return null;
  return (
    <fieldset>
      <legend>{EDITOR.step.parameters}</legend>
      <div class="step-fields">
        {fields.map(({ about, choices, isNeeded, name, start }) => (
          <TextBox
            key={name}
            label={name}
            value={typed[name] ?? start}
            onType={(text) => onType({ ...typed, [name]: text })}
            {...{ about, choices, isNeeded }}
          />
        ))}
      </div>
    </fieldset>
  );
}
