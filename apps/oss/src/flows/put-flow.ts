import type { FastifyRequest } from 'fastify';
import { type Principal, usesModule } from '#access';
import type { FlowVersion } from '#core';
import { CheckerBusy, CheckTooCostly, outlineOf } from '#flow-files';
import type { KnownCommands, ParsedFlow, ParseOptions, Problem as FlowProblem } from '#flow-files';
import { expectMayChange, invalidRequest, principalOf, Problem } from '#http-server';
import { keepSource, nullWhereUnreadable, type PutResult } from '#ports';
import { expectStorable } from '../access/may-start.js';
import type { RequestWork } from '../access/request-work.js';
import { visibleFlows } from '../access/visible.js';
import type { CommonParts, FlowParts, OssOptions } from '../options.js';
import { expectedRevisions } from '../requests/headers.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { modulesOf } from '../tasks/modules-of.js';
import { presentFinding } from './finding.presenter.js';
import { FLOW_NAME_PATTERN } from './flow-name.js';

/** A flow that was stored, and what its author should know. */
interface PutFlow {
  readonly flow: FlowVersion;
  readonly before: Extract<PutResult, { kind: 'stored' }>['before'];
  readonly warnings: readonly FlowProblem[];
}

/** Reads the text of a flow and stores it as the newest of its name. Throws a `Problem`. */
export async function putFlow(
  options: CommonParts & FlowParts & { readonly work: RequestWork },
  name: string,
  request: FastifyRequest,
): Promise<PutFlow> {
  expectName(name);
  expectWritable(options, name, principalOf(request));
  const expected = await expectedVersions(options, name, request);
  const written = { name, text: typeof request.body === 'string' ? request.body : '' };
  const { definition, hash, starts, warnings } = await options.work.run(request, 'check', (draft) =>
    readFlow(options, written, { principal: principalOf(request), draft }),
  );
  const { flows } = options;
  await expectStorable(definition, starts, { flows, principal: principalOf(request) });
  const now = options.clock.now();
  const result = await options.definitions.putFlow({ definition, hash, now, expected });
  if (result.kind === 'moved') throw moved(name, result.version);
  const { version } = result.flow;
  await keepSource(options.sources, { flow: name, version, text: written.text });
  await options.flows.refresh();
  return { flow: result.flow, before: result.before, warnings };
}

/** Retires a flow. Throws a `Problem`. */
export async function retireFlow(
  options: CommonParts & FlowParts,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  expectWritable(options, name, principalOf(request));
  const expected = await expectedVersions(options, name, request);
  const result = await options.definitions.retireFlow(name, expected);
  if (result.kind === 'moved') throw moved(name, result.version);
  if (result.kind === 'unknown') {
    throw new Problem('FLOW_NOT_FOUND', `There is no flow ${JSON.stringify(name)}.`);
  }
  await options.flows.refresh();
}

function expectName(name: string): void {
  if (FLOW_NAME_PATTERN.test(name)) return;
  const message = 'The name of a flow has letters, digits, `-`, `_` and `.`, at most 100.';
  const hint = 'It begins with a letter or digit.';
  const fault = { code: 'WRONG_NAME', pointer: '/name', message, hint } as const;
  throw new Problem('INVALID_FLOW', message, { errors: [presentFinding(fault)] });
}

/** Throws unless the caller may write the flow, and no file has it. */
function expectWritable(
  { flows }: CommonParts & FlowParts,
  name: string,
  principal: Principal,
): void {
  const newest = flows.find(name);
  const modules = newest === undefined ? [] : modulesOf(newest);
  expectMayChange(principal, { kind: 'flow', flow: name, modules });
  if (!flows.isInFile(name)) return;
  const detail = `A file defines the flow ${name}: change it there.`;
  throw new Problem('FLOW_IN_FILE', detail);
}

/** The versions one of which must be the newest, 0 for none; undefined: it does not matter. */
async function expectedVersions(
  { flowStore }: CommonParts & FlowParts,
  name: string,
  { headers }: FastifyRequest,
): Promise<readonly number[] | undefined> {
  const none = headers['if-none-match']?.trim();
  if (none === '*') return [0];
  if (none !== undefined) {
    const message =
      'The header `If-None-Match` can only be `*` here, which stores only what is new.';
    throw invalidRequest({ pointer: '/If-None-Match', message });
  }
  const expected = expectedRevisions(headers);
  const isAnyWanted = expected === undefined && headers['if-match'] !== undefined;
  if (isAnyWanted && !(await isThere(flowStore, name))) throw moved(name, 0);
  return expected;
}

/** Whether there is a flow, also one that cannot be read. */
async function isThere(flowStore: OssOptions['flowStore'], name: string): Promise<boolean> {
  try {
    return (await flowStore.getFlow(name)) !== null;
  } catch (error) {
    return nullWhereUnreadable(error) === null;
  }
}

/** A flow as its author wrote it. */
interface WrittenText {
  readonly name: string;
  readonly text: string;
}

/** The reader of a flow, for as long as it waits. */
interface Reader {
  readonly principal: Principal;
  /** Aborted when the client has gone. */
  readonly draft: AbortSignal;
}

/** Reads a flow with what the caller may use. Throws the `Problem` that it is not sound. */
export async function readFlow(
  options: CommonParts & FlowParts,
  written: WrittenText,
  { draft, principal }: Reader,
): Promise<ParsedFlow> {
  try {
    const known = await knownTo(options, principal);
    const reading = await options.checker.readFlow(written, known, draft);
    if (reading.kind === 'sound') return reading.flow;
    throw unsound(reading.problems);
  } catch (error) {
    throw checkRefusal(error);
  }
}

/**
 * The commands and flows that a flow may use: known commands with the defaults that flows inherit
 * of them, and the flows that the caller sees.
 */
export async function knownTo(
  { announced, flows }: CommonParts & FlowParts,
  principal: Principal,
): Promise<ParseOptions> {
  const seen = visibleFlows(flows.list(), principal);
  const outlines = seen.map(({ definition }) => outlineOf(definition));
  const known = await announced?.fresh();
  const defaults = flows.defaults().filter(({ module }) => usesModule(principal, module));
  return { commands: known && seenCommands(known, principal), flows: outlines, defaults };
}

/** Modules that the caller does not use are like those of which no executor is there just now. */
function seenCommands(known: KnownCommands, principal: Principal): KnownCommands {
  if (principal.modules === null) return known;
  const modules = (): readonly string[] => {
    return known.modules().filter((module) => usesModule(principal, module));
  };
  return { ...known, modules, isPartial: true };
}

/** The problem that a text could not be checked; another error stays what it is. */
export function checkRefusal(error: unknown): unknown {
  if (error instanceof CheckTooCostly) {
    return new Problem('FLOW_FILE_TOO_COSTLY', `The file cannot be checked: ${error.message}`);
  }
  return error instanceof CheckerBusy ? tooManyChecks() : error;
}

function unsound(problems: readonly FlowProblem[]): Problem {
  const [first] = problems;
  const rest = problems.length - 1;
  const more = rest > 0 ? ` (and ${rest} more)` : '';
  const detail = `The flow is invalid: ${first?.message ?? 'it cannot be read.'}${more}`;
  return new Problem('INVALID_FLOW', detail, { errors: problems.map(presentFinding<FlowProblem>) });
}

function moved(name: string, version: number): Problem {
  const detail =
    version === 0 ? `There is no flow ${name} yet.` : `Flow ${name} is at version ${version}.`;
  return new Problem('REVISION_CHANGED', detail);
}
