import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { FormFaults } from './form-faults.js';

interface FieldFaultProps {
  /** Of the control that it is about. */
  readonly id: string;
  /** Undefined: nothing is wrong. */
  readonly fault: string | undefined;
}

/** The mistake in a field, right below it. */
export function FieldFault({ fault, id }: FieldFaultProps): JSX.Element | null {
  if (fault === undefined) return null;
  return (
    <p id={faultId(id)} role="alert" class="error-text">
      {fault}
    </p>
  );
}

/** The attributes by which a control leads to what is said about it. */
export function described(
  { fault, id }: FieldFaultProps,
  aboutId: string | null,
): { 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const ids = [
    ...(fault === undefined ? [] : [faultId(id)]),
    ...(aboutId === null ? [] : [aboutId]),
  ];
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': true as const }),
  };
}

/** Leads to the first field of a form that is wrong, which may be far above the button. */
export function useFirstFault({ at }: FormFaults): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (at.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [at]);
  return form;
}

function faultId(id: string): string {
  return `${id}-fault`;
}
