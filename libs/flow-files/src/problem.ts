import type { JsonDocument } from './read-json.js';
import { joinPointer } from './json-pointer.js';

/** Everything that can be wrong with a flow file, with what it means. */
export const PROBLEM_CODES = {
  FOLDER_NOT_READABLE: 'The folder of flow files cannot be read.',
  FILE_NOT_READABLE: 'The file cannot be read.',
  FILE_OUTSIDE_FOLDER: 'The file is a link that leads out of the folder of flow files.',
  NOT_UTF8: 'The file is not UTF-8 text.',
  FILE_TOO_LARGE: 'The text is longer than a flow file may be.',
  SYNTAX: 'The text is not JSON (comments and trailing commas are fine).',
  TOO_DEEP: 'Lists and objects are nested too deeply.',
  DUPLICATE_MEMBER: 'An object has two members of one name.',
  FORBIDDEN_MEMBER: 'A member has a name that is never allowed.',
  INEXACT_NUMBER: 'A number cannot be kept exactly.',
  NO_FLOW: 'The file defines no flow.',
  TOO_MANY_FLOWS: 'The file defines too many flows.',
  WRONG_TYPE: 'A value has the wrong type.',
  WRONG_VALUE: 'A value is not one of those allowed.',
  WRONG_NAME: 'A name has characters that names cannot have, or is too long.',
  WRONG_DURATION: 'A duration cannot be read, or is too short or too long.',
  WRONG_MOMENT: 'A moment is neither a date and time with its zone nor seconds since 1970.',
  WRONG_EXPRESSION: 'A text in `{% ... %}` is not an expression that can be evaluated.',
  TOO_MANY_EXPRESSIONS: 'A flow has too many different expressions.',
  EXPRESSION_NOT_ALLOWED: 'An expression stands where none is evaluated.',
  OUT_OF_RANGE: 'A number is too small or too large.',
  MISSING_MEMBER: 'A required member is missing.',
  UNKNOWN_MEMBER: 'A member is not known here.',
  TWO_KINDS: 'A step has several of the members that say what it does.',
  CONFLICTING_MEMBERS: 'An object has several members that exclude each other.',
  NO_STEPS: 'A list of steps is empty.',
  TOO_MANY_STEPS: 'A flow has too many steps, nested ones included.',
  GROUPS_TOO_DEEP: 'Lists of steps are nested too deeply.',
  DUPLICATE_STEP: 'Two steps of one list have one name.',
  DUPLICATE_CASE: 'Two cases of a choice have one name.',
  UNKNOWN_STEP: 'A step needs a step that its list does not have.',
  DUPLICATE_NEED: 'A step names a step twice in its `needs`.',
  CYCLIC_NEEDS: 'Steps wait for each other, so none of them could ever start.',
  ATTEMPT_TIMEOUT_TOO_LONG: '`attemptTimeout` is longer than `timeout`.',
  MAX_DELAY_TOO_SHORT: '`maxDelay` is shorter than `delay`.',
  WRONG_INPUT_SCHEMA: '`input` is not a JSON Schema that can be used.',
  MISPLACED_SECRET: '`"secret": true` stands where no value of a request can be sealed.',
  UNKNOWN_MODULE: 'No executor serves the module.',
  UNKNOWN_COMMAND: 'The module has no such command.',
  WRONG_CONSTANT: 'A command refuses a constant that its step always gives it.',
  MISSING_PARAMETER: 'A command requires a parameter that nothing can give it.',
  UNCERTAIN_PARAMETER:
    'A command requires a parameter that a request may leave out, or that only the output of a command may give. A warning.',
  WRONG_REFERENCE: 'A reference to a secret does not have its form, so nothing is fetched for it.',
  DUPLICATE_FLOW: 'Another file defines a flow of this name already.',
  OWN_FAILURE_FLOW: 'A flow is its own failure flow, so that failures would start without end.',
  UNKNOWN_FAILURE_FLOW: 'A flow names a failure flow that is not there. A warning.',
  FAILURE_FLOW_RING: 'A flow leads back to itself by failure flows and child tasks. A warning.',
  MAX_LIVE_TOO_HIGH: '`maxLive` is so high that each start counts a great many tasks. A warning.',
  MAX_LIVE_PASSED_BY:
    'A flow with `maxLive` starts child tasks of itself, which it does not bound. A warning.',
  ENDLESS_FLOWS: 'A flow leads back to itself by child tasks that are always started.',
  UNKNOWN_CHILD_FLOW: 'A step starts child tasks of a flow that is not there. A warning.',
  WRONG_CHILD_PARAMETERS:
    'The `input` of a flow refuses what a step gives its child tasks. A warning.',
  PIVOT_IN_CHILD:
    'A child task with a point of no return may have to be undone with its parent. A warning.',
  NO_INPUT: 'A flow has no `input`, so its parameters are not checked. A warning.',
  STEP_NOT_BEFORE: 'An expression looks at a step that cannot have run before it.',
  UNORDERED_STEP: 'An expression looks at a step that may not have run before it. A warning.',
  UNKNOWN_PARAMETER: 'An expression reads a parameter that nothing before it gives. A warning.',
  UNKNOWN_OUTPUT:
    'An expression reads a member that the output of a command cannot have. A warning.',
  VARYING_RESULT:
    'A value that is handed on is a list, an entry or nothing, by how many are found. A warning.',
  UNREACHABLE_STEP:
    'A step is never reached: an earlier one ends the task or fails, or a constant rules it out. A warning.',
  CATCH_NEVER_MATCHES:
    'A `catch` names errors that were caught above it already, or that its step never has. A warning.',
  WRITTEN_TWICE: 'Two steps side by side write the same parameter. A warning.',
  OUTPUT_AS_PARAMETER:
    'A command takes the whole output of a step as a parameter of the same name. A warning.',
  NO_ROLLBACK: 'A step changes something and does not say how to undo it. A warning.',
  WEAK_ROLLBACK:
    'A rollback has fewer attempts than what it undoes, or is not tried again after all its errors. A warning.',
  LOCKS_INVERTED:
    'Two places take the same locks in opposite orders, so that tasks may wait for each other. A warning.',
  LOCK_OF_PARENT:
    'A child task asks for a lock that its parent holds, so that both wait for ever. A warning.',
  FOREACH_WITHOUT_BOUND:
    'A `foreach` takes its items from a request that may send any number of them. A warning.',
  DEPRECATED_MEMBER:
    'A step gives a parameter that its command or its flow calls deprecated. A warning.',
  TIMEOUT_TOO_LONG: 'A step may take longer than the flow or group around it. A warning.',
  PIVOT_WITHOUT_HOLD:
    'A step, or a round, after or beside a pivot can fail, and the flow has no `onFailure` that holds. A warning.',
  IRREVERSIBLE_LOOP: 'A loop repeats a step that cannot be undone. A warning.',
  UNDECLARED_MEMBER:
    'A member is required that `properties` does not declare, so no request fits. A warning.',
  SECRET_IN_CLEAR: 'The `input` itself holds the value of a secret, for all readers. A warning.',
  TOO_MANY_PROBLEMS: 'There are more problems than are listed.',
} as const;

/** Stable name of a kind of problem. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** The words for one thing that is wrong with a flow, wherever that is. */
export interface Words {
  readonly code: ProblemCode;
  /** A sentence that names the fault. */
  readonly message: string;
  /** Advice on what to write instead. */
  readonly hint: string;
}

/** One thing that is wrong with a flow file, for the person who wrote it. */
export interface Problem extends Words {
  /** RFC 6901 pointer to the value at fault, or to the object that lacks something. */
  readonly pointer: string;
  /** Where that stands in the text, counted from 1 as editors do. */
  readonly line: number;
  readonly column: number;
}

/** A problem before its place in the text is looked up. */
export interface Finding extends Words {
  readonly pointer: string;
  /** Whether the name of the member is at fault or its value (the default). */
  readonly at?: 'name' | 'value';
  /** How far into the text at the pointer, 0-based; absent: the whole of it is at fault. */
  readonly index?: number;
}

/** More than a person reads at once; the rest is only counted. */
export const PROBLEMS_MAX = 100;

/** Most characters of all pointers that are listed: names of members can be of any length. */
const POINTERS_MAX = 200_000;

/** Collects the problems of one text and knows which flows they spoil. */
export class ProblemList {
  readonly #document: JsonDocument;
  readonly #problems: Problem[] = [];
  /** Pointers of flows. */
  readonly #spoiled = new Set<string>();
  #total = 0;
  #pointers = 0;

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  /** True when further problems are counted but no longer listed: spare the work on their words. */
  get isFull(): boolean {
    return this.#problems.length >= PROBLEMS_MAX || this.#pointers > POINTERS_MAX;
  }

  /** How many problems were added so far, listed or not. */
  get total(): number {
    return this.#total;
  }

  add(finding: Finding): void {
    const isListed = !this.isFull;
    this.count(finding.pointer);
    if (!isListed) return;
    this.#pointers += finding.pointer.length;
    const { pointer, at = 'value', code, index, message, hint } = finding;
    const place =
      index === undefined
        ? this.#document.locate(pointer, at)
        : this.#document.locateInText(pointer, index);
    this.#problems.push({ pointer, ...place, code, message, hint });
  }

  /** Counts a problem that is not listed as the list is full; it spoils its flow all the same. */
  count(pointer: string): void {
    this.#total += 1;
    const end = pointer.indexOf('/', 1);
    if (pointer !== '') this.#spoiled.add(end === -1 ? pointer : pointer.slice(0, end));
  }

  /** Counts problems of a flow that are not listed. */
  countIn(flow: string, count: number): void {
    this.#total += count;
    this.#spoiled.add(joinPointer('', flow));
  }

  /** Whether a problem lies in the flow of this name. */
  spoils(flow: string): boolean {
    return this.#spoiled.has(joinPointer('', flow));
  }

  /** All listed problems in the order of the text. */
  toArray(): readonly Problem[] {
    const sorted = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const unlisted = this.#total - sorted.length;
    if (unlisted === 0) return sorted;
    const message = `There are ${unlisted} more problems.`;
    const hint = 'Repair the listed ones first.';
    return [...sorted, { ...TEXT_START, code: 'TOO_MANY_PROBLEMS', message, hint }];
  }
}

/** Where a problem stands that concerns a text as a whole. */
export const TEXT_START = { pointer: '', line: 1, column: 1 } as const;
