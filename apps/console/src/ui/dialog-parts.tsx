import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Refused } from '../api/exchange.js';
import { WORDS } from '../words.js';
import { described, FieldFault } from './field-fault.js';

interface ReasonFieldProps {
  readonly value: string;
  readonly onType: (reason: string) => void;
  /** Default: *Reason*. */
  readonly label?: string;
  readonly isRequired?: boolean;
  /** The mistake in it; undefined: there is none. */
  readonly fault?: string | undefined;
}

/** The box for the reason of an action. */
export function ReasonField({
  fault,
  isRequired = false,
  label = WORDS.dialog.reason,
  onType,
  value,
}: ReasonFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        required={isRequired}
        autofocus
        autocomplete="off"
        maxLength={1_000}
        {...described({ id, fault }, null)}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
      <FieldFault id={id} fault={fault} />
    </div>
  );
}

interface DialogEndProps {
  /** Why it was refused; null: it was not. */
  readonly error: string | null;
  /** On the button that does it. */
  readonly words: string;
  readonly onClose: () => void;
  /** On the other one; default: *Cancel*. */
  readonly dismiss?: string;
  readonly isGrave?: boolean;
  readonly isSending?: boolean;
}

/** The end of a dialog's form: why it was refused, and the buttons. */
export function DialogEnd({
  dismiss = WORDS.cancel,
  error,
  isGrave = false,
  isSending,
  onClose,
  words,
}: DialogEndProps): JSX.Element {
  return (
    <>
      <p role="alert" class="error-text">
        {error}
      </p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {dismiss}
        </button>
        <button type="submit" class={isGrave ? 'grave' : 'main'} aria-disabled={isSending}>
          {words}
        </button>
      </div>
    </>
  );
}

/** Why a request failed, for people. */
export function failureText(failure: unknown): string {
  return failure instanceof Refused ? failure.message : WORDS.away;
}
