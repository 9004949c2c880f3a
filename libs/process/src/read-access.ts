import { accessFileSchema, type Binding, bindingsIn, type WrittenAccess } from '#access';
import type { JsonValue } from '#core';
import { checkParameters, type JsonReading, readJson } from '#flow-files';

/** The result of reading a text of bindings; `problem` begins with line and column. */
type AccessReading =
  | { readonly bindings: readonly Binding[]; readonly problem: null }
  | { readonly bindings: null; readonly problem: string };

type Document = Extract<JsonReading, { readonly kind: 'read' }>['document'];

/** A mistake, and the place of it in the text. */
interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Reads bindings: JSON, in which comments and trailing commas are fine. Never throws. */
export function readAccess(text: string): AccessReading {
  // The reader has words about flows for it.
  if (text.trim() === '') return wrong({ line: 1, column: 1, message: 'The file is empty.' });
  const reading = readJson(text);
  if (reading.kind === 'unreadable') return wrong(reading.problem);
  const mistake = firstMistake(reading.document);
  if (mistake !== undefined) return wrong(mistake);
  return {
    bindings: bindingsIn(reading.document.value as unknown as WrittenAccess),
    problem: null,
  };
}

function wrong({ column, line, message }: Mistake): AccessReading {
  return { bindings: null, problem: `${line}:${column}: ${message}` };
}

/** In the order of the text. */
function firstMistake(document: Document): Mistake | undefined {
  const members = document.findings.map(({ at = 'value', message, pointer }) => {
    return { ...document.locate(pointer, at), message };
  });
  const shapes = checkParameters(accessFileSchema, document.value).map((problem) => {
    const { hint, message, pointer } = problem;
    const about = message.replace(/^The parameters\b/, 'The file');
    return { pointer, message: hint === undefined ? about : `${about} ${hint}` };
  });
  const others = [...unclearIn(document.value), ...shapes].map(({ message, pointer }) => {
    return { ...document.locate(pointer, 'name'), message };
  });
  return [...members, ...others].toSorted((a, b) => a.line - b.line || a.column - b.column)[0];
}

/** Bindings that are not of one kind: a schema says so in many words. */
function unclearIn(value: JsonValue): readonly { message: string; pointer: string }[] {
  const { bindings } = (value ?? {}) as { readonly bindings?: unknown };
  if (!Array.isArray(bindings)) return [];
  return bindings.flatMap((binding: unknown, n) => {
    const members = Object.keys(binding ?? {});
    if (members.includes('subject') !== members.includes('group')) return [];
    const message = `Binding ${n + 1} must have \`subject\` or \`group\`, and not both.`;
    return [{ pointer: `/bindings/${n}`, message }];
  });
}
