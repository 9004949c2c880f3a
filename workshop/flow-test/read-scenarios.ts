import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileText } from '#json';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import {
  calledFlow,
  type FlowDefinition,
  type JsonObject,
  type JsonValue,
  makesSteps,
  type StepPlan,
} from '#core';
import { isObject } from '#core/json';
import { innerLists } from '#core/flow';
import { checkParameters, readJson } from '#flow-files';
import type { Cell, Scenario, ScriptedAnswer } from '#workshop/rehearsal';
import { parseDuration } from '#wording';
import { testFileSchema } from './test-file-schema.js';

/** A scenario, and what its author expects of it. */
export interface TestedScenario extends Scenario {
  /** How the flow ends when nothing goes wrong but what the scenario says. */
  readonly status: string;
  /** The first that fits a cell says how it comes out; without one it is clean. */
  readonly cells: readonly ExpectedCell[];
}

/** How some cells come out; what is absent fits anything. */
export type ExpectedCell = Pick<Cell<unknown>, 'result'> &
  Partial<Pick<Cell<unknown>, 'direction' | 'how' | 'step' | 'where'>>;

/** A flow file or a test file cannot be used. The message has one line for each mistake. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

interface WrittenAnswer extends Omit<ScriptedAnswer, 'takesMs'> {
  readonly takes?: string | number;
}

/** A scenario as a test file has it. */
export interface WrittenScenario {
  readonly name?: string;
  readonly parameters?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly answers?: Readonly<Record<string, WrittenAnswer | readonly WrittenAnswer[]>>;
  readonly signals?: readonly {
    readonly name: string;
    readonly after?: string | number;
    readonly payload?: JsonObject;
  }[];
  readonly approvals?: readonly {
    readonly step: string;
    readonly after?: string | number;
    readonly approve?: boolean;
    readonly comment?: string;
  }[];
  readonly expect?: { readonly status?: string; readonly cells?: readonly ExpectedCell[] };
}

interface WrittenScenarios extends WrittenScenario {
  readonly scenarios?: readonly WrittenScenario[];
}

interface WrittenFile extends WrittenScenarios {
  readonly $schema?: string;
  readonly flows?: Readonly<Record<string, WrittenScenarios>>;
}

/** Where the scenarios of a flow may be. */
export interface TestFiles {
  /** Beside its file, by its name. */
  readonly ofFlow: string;
  /** Beside its file, by the name of that file. */
  readonly ofFile: string;
  /** The names of all flows of its file. */
  readonly inFile: readonly string[];
}

const matchesSchema = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile<WrittenFile>(
  testFileSchema,
);

/**
 * The scenarios of a flow: those of its own test file, else those that the test file of its flow
 * file has for it, else a single one that is made up. `all`: the flows that its child tasks may be
 * of. Throws `UnusableFile` with one line for each mistake.
 */
export async function readScenarios(
  definition: FlowDefinition,
  files: TestFiles,
  all: readonly FlowDefinition[],
): Promise<readonly TestedScenario[]> {
  const own = await readTestFile(files.ofFlow);
  const file = own === null ? files.ofFile : files.ofFlow;
  const { name } = definition;
  const written = own === null ? await readShared(name, files) : ofOne(name, own, files);
  const { scenarios, ...single } = written;
  const read = (scenarios ?? [single]).map((one, n) => readScenario(definition, one, n));
  const played = definition.steps.some(runsOtherFlow) ? [definition, ...all] : [definition];
  const known = new Set(played.flatMap(({ steps }) => steps.flatMap(namesIn)));
  const faults = read.flatMap((scenario) => {
    return faultsIn(
      definition,
      scenario,
      played.some(({ steps }) => makesSteps(steps)) ? null : known,
    );
  });
  if (faults.length === 0) return read;
  throw new UnusableFile(faults.map((fault) => `${file}: ${fault}`).join('\n'));
}

/**
 * The scenarios that the test file of a flow file has for one of its flows. They may stand outside
 * `flows` where the flow file has a single flow.
 */
async function readShared(name: string, files: TestFiles): Promise<WrittenScenarios> {
  const { inFile, ofFile } = files;
  const written = await readTestFile(ofFile);
  if (written === null) return {};
  const { $schema: _, flows = {}, ...shared } = written;
  expectInFile(ofFile, flows, files);
  if (Object.keys(shared).length === 0) return flows[name] ?? {};
  if (inFile.length === 1) return flows[name] ?? shared;
  // They are those of the flow that has the name of the file.
  if (inFile.includes(path.basename(ofFile, '.test.json'))) return flows[name] ?? {};
  const members = Object.keys(shared).join(', ');
  throw new UnusableFile(
    `${ofFile}: ${members} may be of any of ${inFile.join(', ')}: say of which under "flows"`,
  );
}

/**
 * The scenarios of a flow in the test file that has its name. The flow file may have this name as
 * well, and other flows beside it: then the scenarios of all of them may stand under `flows`.
 */
function ofOne(name: string, { flows = {}, ...own }: WrittenFile, files: TestFiles) {
  expectInFile(files.ofFlow, flows, files);
  return flows[name] ?? own;
}

/** Throws where scenarios are of a flow that the flow file has not: nothing would play them. */
function expectInFile(file: string, flows: object, { inFile }: TestFiles): void {
  const unknown = Object.keys(flows).filter((name) => !inFile.includes(name));
  if (unknown.length === 0) return;
  const names = `${unknown.join(', ')} under "flows"`;
  throw new UnusableFile(`${file}: ${names} is no flow of its file: ${inFile.join(', ')}`);
}

/** Null: there is none. */
async function readTestFile(file: string): Promise<WrittenFile | null> {
  const reading = readFile(file).then(fileText);
  const text = await reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new UnusableFile(`${file} cannot be read: ${error.code}`);
  });
  return text === null ? null : readWritten(text, file);
}

function readWritten(text: string, file: string): WrittenFile {
  const reading = readJson(text);
  if (reading.kind === 'unreadable') {
    const { column, hint, line, message } = reading.problem;
    throw new UnusableFile(`${file}:${line}:${column} ${message} ${hint}`);
  }
  const { document } = reading;
  if (matchesSchema(document.value)) return document.value;
  const lines = (matchesSchema.errors ?? []).map((error) => {
    const { column, line } = document.locate(error.instancePath, 'value');
    return `${file}:${line}:${column} ${error.instancePath || '/'} ${sentence(error)}`;
  });
  throw new UnusableFile([...new Set(lines)].join('\n'));
}

function sentence({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') {
    return `has an unknown member: ${String(params['additionalProperty'])}`;
  }
  return keyword === 'enum' ? `${message}: ${String(params['allowedValues'])}` : `${message}`;
}

/** A scenario of a flow from what is written; `index` is its place, from 0, and names it. */
export function readScenario(
  { input }: FlowDefinition,
  written: WrittenScenario,
  index = 0,
): TestedScenario {
  const { approvals = [], expect = {}, signals = [] } = written;
  const answers = Object.entries(written.answers ?? {}).map(
    ([name, answer]): [string, readonly ScriptedAnswer[]] => [name, [answer].flat().map(answerOf)],
  );
  return {
    name: written.name ?? String(index + 1),
    parameters: written.parameters ?? sampleParameters(input),
    labels: written.labels ?? {},
    answers: new Map(answers),
    signals: signals.map(({ after = 0, name, payload = {} }) => {
      return { name, payload, afterMs: readDuration(after) };
    }),
    approvals: approvals.map(({ after = 0, approve = true, comment = '', step }) => {
      return { step, isApproved: approve, comment, afterMs: readDuration(after) };
    }),
    status: expect.status ?? 'succeeded',
    cells: expect.cells ?? [],
  };
}

function readDuration(written: string | number): number {
  try {
    return parseDuration(written);
  } catch (error) {
    throw new UnusableFile(`a scenario's "${written}" is ${(error as Error).message}`);
  }
}

function answerOf({ takes, ...answer }: WrittenAnswer): ScriptedAnswer {
  return takes === undefined ? answer : { ...answer, takesMs: readDuration(takes) };
}

/** Sentences on steps, commands and parameters of a scenario that do not fit its flow. */
function faultsIn(
  { input, name: flow }: FlowDefinition,
  scenario: TestedScenario,
  /** Null: which steps and commands there are is not known before. */
  known: ReadonlySet<string> | null,
): readonly string[] {
  const named = [
    ...scenario.answers.keys(),
    ...scenario.approvals.map(({ step }) => step),
    ...scenario.cells.flatMap(({ step }) => step ?? []),
  ];
  const unknown = named.filter((name) => known?.has(name) === false);
  const wrong = input === null ? [] : checkParameters(input, scenario.parameters);
  return [
    ...unknown.map((name) => `flow ${flow} has no step and no command ${name}`),
    ...wrong.map(({ message, pointer }) => {
      return `the parameters do not fit ${flow}: ${pointer || '/'} ${message}`;
    }),
  ];
}

/** Names of a step and of the steps in it, and their commands as `module.command`. */
function namesIn(step: StepPlan): readonly string[] {
  const actions = [step.normal, step.rollback].flatMap((action) => {
    return action ? [`${action.module}.${action.command}`] : [];
  });
  return [step.name, ...actions, ...innerLists(step).flat().flatMap(namesIn)];
}

/** Whether a step, or one in it, has child tasks of a flow of their own. */
function runsOtherFlow(step: StepPlan): boolean {
  return calledFlow(step) !== null || innerLists(step).flat().some(runsOtherFlow);
}

/**
 * The smallest parameters that a flow's `input` seems to ask for: its required members, each by its
 * default, an example, or the simplest value of its type. The schema may
 * still refuse them.
 */
export function sampleParameters(input: JsonObject | null): JsonObject {
  const made = input === null ? {} : sampleOf(input);
  return isObject(made) ? made : {};
}

function sampleOf(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return 'sample';
  const [given] = [
    schema['default'],
    schema['const'],
    firstOf(schema['examples']),
    firstOf(schema['enum']),
  ].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : (type ?? (schema['properties'] ? 'object' : 'string'))) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return Array.from({ length: numberOf(schema['minItems'], 0) }, () => {
        return sampleOf(schema['items']);
      });
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

function sampleObject({ properties, required }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required.map(String) : [];
  const schemas = new Map(Object.entries(isObject(properties) ? properties : {}));
  return Object.fromEntries(names.map((name) => [name, sampleOf(schemas.get(name) ?? {})]));
}

function sampleNumber(schema: JsonObject): number {
  const above = numberOf(schema['exclusiveMinimum'], 0);
  const least = Math.max(numberOf(schema['minimum'], 1), above + 1);
  const step = numberOf(schema['multipleOf'], 0);
  const value = step > 0 ? Math.ceil(least / step) * step : least;
  return Math.min(value, numberOf(schema['maximum'], Infinity));
}

function sampleText({ format, maxLength, minLength }: JsonObject): string {
  if (format === 'date-time') return '2030-01-01T00:00:00Z';
  if (format === 'date') return '2030-01-01';
  if (format === 'uri') return 'https://example.com/';
  if (format === 'email') return 'somebody@example.com';
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  const text = 'sample'.padEnd(numberOf(minLength, 0), 'x');
  return text.slice(0, numberOf(maxLength, Infinity));
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[])[0] : undefined;
}
