import { hash } from 'node:crypto';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FlowDefinition, JsonObject, JsonValue } from '#core';
import type { CommandRecord } from '#ports';
import { buildFlow, type BuiltFlow } from './build-flow.js';
import { wrongNames } from './check-command.js';
import { type DefaultsByCommand, defaultsByCommand } from './command-defaults.js';
import { examine } from './doctor/examine.js';
import {
  type FlowOutline,
  type KnownFlows,
  type NamedStart,
  outlineOf,
  startsIn,
} from './doctor/flow-outline.js';
import { explain, isSaidElsewhere, type SchemaNode } from './explain.js';
import { subjectOf, withoutExcess } from './flow-excess.js';
import { flowFileSchema } from './flow-schema.js';
import { joinPointer } from './json-pointer.js';
import type { KnownCommands } from './known-commands.js';
import { FLOWS_MAX } from './language/limits.js';
import { type Finding, type Problem, ProblemList } from './problem.js';
import { isObject, type JsonDocument, readJson } from './read-json.js';
import { useLinearUniqueItems } from './schema-compiler.js';
import type { WrittenFlow } from './written-flow.js';

/** A flow that is sound, however its file fares otherwise. */
export interface ParsedFlow {
  /** Frozen all the way down: tasks share its steps. */
  readonly definition: FlowDefinition;
  readonly hash: string;
  /** Where the flow's name stands. */
  readonly line: number;
  /** Warnings to its author; it is sound all the same. */
  readonly warnings: readonly Problem[];
  /** The flows whose tasks its tasks start. */
  readonly starts: readonly NamedStart[];
}

/** The result of reading a flow file. */
interface FlowFile {
  /** The sound flows, in the order of the file. */
  readonly flows: readonly ParsedFlow[];
  /** In the order of the file. A flow with a problem is not among `flows`. */
  readonly problems: readonly Problem[];
  /** Names of all flows, sound or not; null where the text is too broken to tell. */
  readonly names: readonly string[] | null;
}

/** How to read a flow file. */
export interface ParseOptions {
  /** Modules and commands that flows may use; absent: any. */
  readonly commands?: KnownCommands | undefined;
  /** Stored defaults of commands, for actions to inherit; absent: none. */
  readonly defaults?: readonly CommandRecord[] | undefined;
  /** The flows that there are beside those of the text; absent: not known. */
  readonly flows?: readonly FlowOutline[] | undefined;
  /**
   * The text is a part of a flow: names of the steps in the lists around it, which its expressions
   * may name. Absent: it is all of it.
   */
  readonly around?: readonly string[] | undefined;
}

/** The result of the validation of a text. */
export interface Validation {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  /** Warnings to the author about sound flows; they make nothing invalid. */
  readonly warnings: readonly Problem[];
}

/** Compiled when a file is read: that takes a while, and most processes read none. */
let compiled: ValidateFunction | undefined;

/** Reads a flow file. Never throws: whatever is wrong with the text is a problem. */
export function parseFlowFile(text: string, options: ParseOptions = {}): FlowFile {
  const reading = readJson(text);
  if (reading.kind === 'unreadable') {
    return { flows: [], problems: [reading.problem], names: null };
  }
  const { document } = reading;
  const problems = new ProblemList(document);
  for (const finding of document.findings) problems.add(finding);
  for (const [flow, count] of document.unlisted) problems.countIn(flow, count);
  const names = checkShape(document, problems);
  const reader = new FlowReader(document, problems, options);
  return { flows: reader.read(names ?? []), problems: problems.toArray(), names };
}

/** Checks a text as the content of a flow file, for people who are writing one. */
export function validateFlowText(text: string, options: ParseOptions = {}): Validation {
  const { flows, problems } = parseFlowFile(text, options);
  const warnings = flows.flatMap((flow) => flow.warnings);
  return { valid: problems.length === 0, problems, warnings };
}

/** Checks the file against the schema and gives the names of its flows, null if there are none. */
function checkShape(document: JsonDocument, problems: ProblemList): readonly string[] | null {
  const { value } = document;
  const names = isObject(value) ? Object.keys(value).filter((name) => name !== '$schema') : [];
  const total = names.length;
  if (isObject(value) && (total === 0 || total > FLOWS_MAX)) {
    problems.add(total === 0 ? NO_FLOW : TOO_MANY_FLOWS);
    return null;
  }
  const checkable = isObject(value) ? withoutExcess(value, problems) : value;
  const matchesSchema = (compiled ??= compileFileSchema());
  if (matchesSchema(checkable)) return names;
  const root = flowFileSchema as SchemaNode;
  for (const error of matchesSchema.errors ?? []) {
    if (isSaidElsewhere(error, true)) continue;
    if (problems.isFull && error.instancePath !== '') problems.count(error.instancePath);
    else addError(error);
  }
  return isObject(value) ? names : null;

  function addError(error: ErrorObject): void {
    const finding = explain(error, { root, subjectOf, hint: MORE, isOurs: true });
    if (finding !== null) problems.add(finding);
  }
}

function compileFileSchema(): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    // Else a member called `constructor` would be taken for one that is always there.
    ownProperties: true,
    // Saves a third of the time of compiling, which every process spends that reads flows.
    code: { optimize: false },
    // That the schema is one is a test's business: its own schema takes longer than it to compile.
    meta: false,
    validateSchema: false,
  });
  useLinearUniqueItems(ajv);
  return ajv.compile(flowFileSchema);
}

/** A flow that is well formed, before it is looked through. */
interface NamedFlow {
  readonly built: BuiltFlow;
  readonly pointer: string;
  readonly warnings: ProblemList;
}

/** Of a part of a flow, it is not told what it starts: it is none that others start. */
const NOTHING_KNOWN: KnownFlows = { outlines: new Map(), isComplete: false };

/** Reads the flows of a text: all of them are built before one that starts others is judged. */
class FlowReader {
  private readonly defaults: DefaultsByCommand | undefined;

  constructor(
    private readonly document: JsonDocument,
    private readonly problems: ProblemList,
    private readonly options: ParseOptions,
  ) {
    this.defaults = options.defaults && defaultsByCommand(options.defaults);
  }

  /** Those that are sound. */
  read(names: readonly string[]): readonly ParsedFlow[] {
    const built = names.flatMap((name) => this.build(name) ?? []);
    const outlines = new Map<string, FlowOutline | null>();
    for (const outline of this.options.flows ?? []) outlines.set(outline.name, outline);
    for (const name of names) outlines.set(name, null);
    for (const { built: flow } of built) {
      outlines.set(flow.definition.name, outlineOf(flow.definition));
    }
    const known = { outlines, isComplete: this.options.flows !== undefined };
    return built.flatMap((flow) => this.examine(flow, known) ?? []);
  }

  private build(name: string): NamedFlow | null {
    const { document, problems } = this;
    const pointer = joinPointer('', name);
    if (problems.spoils(name)) {
      this.judgeNames((document.value as JsonObject)[name], pointer);
      return null;
    }
    // The schema let it through, so it has the shape.
    const written = (document.value as JsonObject)[name] as unknown as WrittenFlow;
    const warnings = new ProblemList(document);
    const { commands } = this.options;
    const { defaults } = this;
    const before = problems.total;
    const built = buildFlow({
      name,
      written,
      site: { pointer, problems },
      warnings,
      commands,
      defaults,
    });
    return problems.total > before ? null : { built, pointer, warnings };
  }

  /** The names that a flow gives and uses are judged though it is not well formed. */
  private judgeNames(written: JsonValue | undefined, at: string): void {
    const [steps, pointer] = isObject(written)
      ? [written['steps'], joinPointer(at, 'steps')]
      : [written, at];
    for (const finding of wrongNames(steps, { list: 'flow', pointer }, this.options.commands)) {
      if (this.problems.isFull) return;
      this.problems.add(finding);
    }
  }

  private examine({ built, pointer, warnings }: NamedFlow, known: KnownFlows): ParsedFlow | null {
    const { document, problems } = this;
    const before = problems.total;
    const isPart = this.options.around !== undefined;
    const around = new Set(this.options.around);
    const { commands } = this.options;
    const flows = isPart ? NOTHING_KNOWN : known;
    examine(built, { pointer, problems, warnings, known: flows, commands, around });
    if (problems.total > before) return null;
    const { definition } = built;
    freeze(definition);
    const { line } = document.locate(pointer, 'name');
    const starts = startsIn(built, pointer);
    return { definition, hash: hashFlow(definition), line, warnings: warnings.toArray(), starts };
  }
}

const MORE = 'docs/write-a-flow.md shows what a flow file looks like.';

const NO_FLOW: Finding = {
  pointer: '',
  code: 'NO_FLOW',
  message: 'The file defines no flow.',
  hint: 'Add "<name>": [<steps>], or delete the file.',
};

const TOO_MANY_FLOWS: Finding = {
  pointer: '',
  code: 'TOO_MANY_FLOWS',
  message: `The file defines more than ${FLOWS_MAX} flows.`,
  hint: 'Spread the flows over several files.',
};

/** SHA-256 of a definition, hex. Definitions that mean the same have the same, however written. */
export function hashFlow(definition: FlowDefinition): string {
  // The members of a definition are JSON values, all the way down.
  const value = definition as unknown as JsonValue;
  return hash('sha256', canonicalText(value), 'hex');
}

/** JSON without white space, members sorted by name, those that are undefined left out. */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, part] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (part !== undefined) members.push(`${JSON.stringify(name)}:${canonicalText(part)}`);
  }
  return `{${members.join(',')}}`;
}

/** Freezes a value all the way down. */
export function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
