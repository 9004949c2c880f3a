import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { type Need, seesFlow } from '#access';
import type { StepPlan } from '#core';
import { innerLists } from '#core/flow';
import { pointerPart } from '#json';
import { FAULT_KINDS, type FaultKind, type FaultSwitch, type FlowStore } from '#ports';
import { formatDuration, parseDuration } from '#wording';
import { InputFaults } from '#http-server';
import { invalidRequest, Problem } from '#http-server';
import { expectMayChange, expectNoParameters, principalOf } from '#http-server';
import type { FaultSwitches } from './fault-switches.js';

/** Injects the switches that make steps go wrong. */
export const FAULT_SWITCHES = Symbol('fault switches');

/** Injects the flows whose steps may be made to go wrong. */
export const FAULT_FLOWS = Symbol('flows of fault switches');

/** A switch as it is shown. */
interface PublicSwitch {
  readonly flow: string;
  readonly step: string;
  readonly kind: FaultKind;
  /** Of `slow`: for how long an attempt is held up. */
  readonly delay?: string;
}

/** The right to have steps go wrong. */
const NEED: Need = { role: 'operator', about: 'module' };

const DELAY = { default: '5s', maxMs: 3_600_000 } as const;
const MEMBERS = ['kind', 'delay'];
const SHOWN_MAX = 60;

/** The switches that make steps go wrong, where the lab is on: elsewhere they have no address. */
@Controller('modules/lab/faults')
export class FaultsController {
  constructor(
    @Inject(FAULT_SWITCHES) private readonly switches: FaultSwitches,
    @Inject(FAULT_FLOWS) private readonly flows: Pick<FlowStore, 'getFlow'>,
  ) {}

  /** All that are on. */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<{ items: readonly PublicSwitch[] }> {
    expectNoParameters(request.query);
    const principal = principalOf(request);
    const all = await this.switches.list();
    return { items: all.filter(({ flow }) => seesFlow(principal, flow)).map(shown) };
  }

  /** Has a step go wrong from its next attempt on. */
  @Put(':flow([^:]+)/:step([^:]+)')
  @RouteConfig({ need: NEED })
  async put(
    @Param('flow') flow: string,
    @Param('step') step: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicSwitch> {
    expectNoParameters(request.query);
    const one = { flow, step, ...readBody(body) };
    await this.#expectStep(one, request);
    expectMayChange(principalOf(request), { kind: 'fault', flow });
    if (await this.switches.put(one)) return shown(one);
    throw new Problem('TOO_MANY_REQUESTS', 'Too many switches are on: take some back first.');
  }

  /** Lets a step be. */
  @Delete(':flow([^:]+)/:step([^:]+)')
  @RouteConfig({ need: NEED })
  @HttpCode(204)
  async remove(
    @Param('flow') flow: string,
    @Param('step') step: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    expectNoParameters(request.query);
    const principal = principalOf(request);
    const isSeen = seesFlow(principal, flow);
    if (isSeen) expectMayChange(principal, { kind: 'fault', flow });
    if (isSeen && (await this.switches.remove({ flow, step }))) return;
    throw new Problem(
      'NOT_FOUND',
      `No switch is on for the step ${named(step)} of ${named(flow)}.`,
    );
  }

  /** A switch that could never strike is refused: its name is a slip. */
  async #expectStep({ flow, step }: FaultSwitch, request: FastifyRequest): Promise<void> {
    const isSeen = seesFlow(principalOf(request), flow);
    const found = isSeen ? await this.flows.getFlow(flow) : null;
    if (found === null) {
      throw new Problem('FLOW_NOT_FOUND', `There is no flow ${named(flow)}.`);
    }
    const steps = found.definition.steps.flatMap(withInner);
    if (steps.some(({ dynamic }) => dynamic !== undefined)) return;
    if (steps.some(({ name, normal }) => name === step && normal !== undefined)) return;
    const message = `The flow ${named(flow)} has no step ${named(step)} that runs a command.`;
    throw invalidRequest({ pointer: '/step', message });
  }
}

function withInner(step: StepPlan): readonly StepPlan[] {
  return [step, ...innerLists(step).flat().flatMap(withInner)];
}

function readBody(body: unknown): Pick<FaultSwitch, 'delayMs' | 'kind'> {
  const faults = new InputFaults();
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest({ pointer: '', message: 'The body must be a JSON object.' });
  }
  for (const name of Object.keys(body).filter((one) => !MEMBERS.includes(one))) {
    const message = `${named(name)} is not known here.`;
    const hint = `Known names: ${MEMBERS.join(', ')}.`;
    faults.add(() => ({ pointer: pointerPart(name), message, hint }));
  }
  const { delay, kind } = body as { readonly delay?: unknown; readonly kind?: unknown };
  if (!FAULT_KINDS.includes(kind as FaultKind)) {
    const message = `\`kind\` must be one of ${FAULT_KINDS.join(', ')}.`;
    faults.add(() => ({ pointer: '/kind', message }));
  }
  const delayMs = readDelay(delay ?? DELAY.default);
  if (delayMs === null || (delay !== undefined && kind !== 'slow')) {
    const message = '`delay` goes with `slow` alone: a duration from 1ms to 1h.';
    faults.add(() => ({ pointer: '/delay', message }));
  }
  faults.finish();
  return { kind: kind as FaultKind, delayMs: delayMs ?? 0 };
}

/** Null: it is none, or none that a person would wait for. */
function readDelay(written: unknown): number | null {
  if (typeof written !== 'string' && typeof written !== 'number') return null;
  try {
    const ms = parseDuration(written);
    return ms >= 1 && ms <= DELAY.maxMs ? ms : null;
  } catch {
    return null;
  }
}

function shown({ delayMs, flow, kind, step }: FaultSwitch): PublicSwitch {
  return { flow, step, kind, ...(kind === 'slow' && { delay: formatDuration(delayMs) }) };
}

function named(name: string): string {
  return JSON.stringify(name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}...` : name);
}
