import { readStoredJson } from '#core/json';
import type { KnownCommands } from '../known-commands.js';
import type { ParseOptions } from '../parse-flow-file.js';

/** Help with a finding: how to mend it, and a flow file before and after. */
export interface FindingHelp {
  /** For people: sentences, code in backticks. */
  readonly cure: string;
  /** Null: no text of one file that a person would read has it. */
  readonly example: FindingExample | null;
  /** How it is reported, where there is no example. */
  readonly report: FindingReport | null;
}

/** A case in which something is found, and the line that tells of it. */
interface FindingReport {
  /** The case, in words that go on a sentence: code in backticks. */
  readonly when: string;
  readonly line: string;
}

/** Two flow files: one that has a finding, and the same one mended. */
interface FindingExample {
  readonly wrong: string;
  readonly mended: string;
  /** Facts that are known when they are checked. */
  readonly known: ParseOptions;
}

/** A pair of texts, and what is known besides: executors, or that there are no further flows. */
interface Surroundings {
  readonly wrong: string;
  readonly mended: string;
  readonly known?: 'commands' | 'flows';
}

/** One module with a command and its rollback, and one that requires one member and returns one. */
const COMMANDS: KnownCommands = {
  modules: () => ['mysql'],
  commands: () => ['clone', 'drop', 'backup'],
  schemas: (_module, command) => [
    {
      properties: {
        cpu: { type: 'integer' },
        pool: { deprecated: true, description: 'Give `zone` instead.' },
      },
      ...(command === 'backup' && { required: ['bucket'] }),
    },
  ],
  outputs: (_module, command) => {
    const properties = { file: { type: 'string' } };
    return command === 'backup' ? [{ properties, additionalProperties: false }] : [];
  },
};

/** Help that shows an example. */
export function shown(cure: string, { known, mended, wrong }: Surroundings): FindingHelp {
  const options: ParseOptions = {
    ...(known === 'commands' && { commands: COMMANDS }),
    ...(known === 'flows' && { flows: [] }),
  };
  const example = { wrong: laidOut(wrong), mended: laidOut(mended), known: options };
  return { cure, example, report: null };
}

/** Help in words, with how it is reported. */
export function told(cure: string, report: FindingReport): FindingHelp {
  return { cure, example: null, report };
}

/** The file with one flow of these steps, and further members of it. */
export function flow(steps: string, members = '"input": { "properties": { "cpu": {} } }'): string {
  return `{ "create-db": { ${members}, "steps": [${steps}] } }`;
}

/** A command that changes nothing, and one that does, with its rollback. */
export const LOOK = '"normal": { "module": "mysql", "command": "look" }';
export const CREATE = '"normal": { "module": "mysql", "command": "create" }';
export const DROP = '"rollback": { "module": "mysql", "command": "drop" }';

const WIDTH_MAX = 90;

/** A text of one line as an editor would lay it out; one of several is left alone. */
function laidOut(text: string): string {
  return text.includes('\n') ? text : printed(readStoredJson(text, 'an example'), '');
}

function printed(value: unknown, indent: string): string {
  const short = oneLine(value);
  const isShort = short.length + indent.length <= WIDTH_MAX && indent !== '';
  if (isShort || typeof value !== 'object' || value === null) return short;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, part]) => {
    return `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${printed(part, inner)}`;
  });
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, part]) => `${JSON.stringify(name)}: ${oneLine(part)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
