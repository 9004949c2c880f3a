import { Controller, Inject } from '@nestjs/common';
import { type Principal, seesFlow } from '#access';
import type { StepPlan } from '#core';
import { innerLists } from '#core/flow';
import { expectMayChange, invalidRequest, Problem } from '#http-server';
import type { FaultKind, FaultSwitch } from '#ports';
import type { FaultSwitches } from '#process';
import { formatDuration } from '#wording';
import { findFlow } from '../flows/find-flow.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { FAULT_ROUTES, faultOf } from './faults.routes.js';

/** Injects the switches that make steps go wrong. */
export const FAULT_SWITCHES = Symbol('fault switches');

/** A switch as it is shown. */
interface PublicSwitch {
  readonly flow: string;
  readonly step: string;
  readonly kind: FaultKind;
  /** Of `slow`: for how long an attempt is held up. */
  readonly delay?: string;
}

const SHOWN_MAX = 60;

/** The switches that make steps go wrong, where the lab is on: elsewhere they have no address. */
@Controller()
export class FaultsController {
  constructor(
    @Inject(FAULT_SWITCHES)
    private readonly switches: Pick<FaultSwitches, 'list' | 'put' | 'remove'>,
    @Inject(OSS_OPTIONS) private readonly options: Pick<CommonParts, 'flowStore' | 'flows'>,
  ) {}

  /** All that are on. */
  @Handles(FAULT_ROUTES.listFaults)
  async list({
    principal,
  }: Asked<typeof FAULT_ROUTES.listFaults>): Promise<{ items: readonly PublicSwitch[] }> {
    const all = await this.switches.list();
    return { items: all.filter(({ flow }) => seesFlow(principal, flow)).map(shown) };
  }

  /** Has a step go wrong from its next attempt on. */
  @Handles(FAULT_ROUTES.putFault)
  async put({ body, path, principal }: Asked<typeof FAULT_ROUTES.putFault>): Promise<PublicSwitch> {
    const one = { ...path, ...faultOf(body) };
    await this.expectStep(one, principal);
    expectMayChange(principal, { kind: 'fault', flow: one.flow });
    if (await this.switches.put(one)) return shown(one);
    throw new Problem('TOO_MANY_REQUESTS', 'Too many switches are on: take some back first.');
  }

  /** Lets a step be. */
  @Handles(FAULT_ROUTES.removeFault)
  async remove({ path, principal }: Asked<typeof FAULT_ROUTES.removeFault>): Promise<void> {
    const { flow, step } = path;
    const isSeen = seesFlow(principal, flow);
    if (isSeen) expectMayChange(principal, { kind: 'fault', flow });
    if (isSeen && (await this.switches.remove(path))) return;
    const message = `No switch is on for the step ${named(step)} of ${named(flow)}.`;
    throw new Problem('NOT_FOUND', message);
  }

  /** A switch that could never strike is refused: its name is a slip. */
  private async expectStep({ flow, step }: FaultSwitch, principal: Principal): Promise<void> {
    const { definition } = await findFlow(this.options, { name: flow }, principal);
    const steps = definition.steps.flatMap(withInner);
    if (steps.some(({ dynamic }) => dynamic !== undefined)) return;
    if (steps.some(({ name, normal }) => name === step && normal !== undefined)) return;
    const message = `The flow ${named(flow)} has no step ${named(step)} that runs a command.`;
    throw invalidRequest({ pointer: '/step', message });
  }
}

function withInner(step: StepPlan): readonly StepPlan[] {
  return [step, ...innerLists(step).flat().flatMap(withInner)];
}

function shown({ delayMs, flow, kind, step }: FaultSwitch): PublicSwitch {
  return { flow, step, kind, ...(kind === 'slow' && { delay: formatDuration(delayMs) }) };
}

function named(name: string): string {
  return JSON.stringify(name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}...` : name);
}
