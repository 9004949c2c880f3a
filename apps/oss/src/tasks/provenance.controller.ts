import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { JsonValue, Task } from '#core';
import { runIdOf } from '#core/scopes';
import { maskValues } from '#core/secrets';
import { type ParameterLayer, taskLayers, type Writer } from '#core/values';
import { hiddenIn } from '../access/hidden-tasks.js';
import { findVisible } from '../access/visible.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { sendWithout } from './send-task.js';
import { OUTLOOK_ROUTES } from './outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** The writer of a value; of a step also the id of its run. */
type PublicWriter = Writer & { readonly id?: string };

/** A value that a parameter had, and where it is from. */
interface WrittenValue {
  readonly value: JsonValue;
  readonly writer: PublicWriter;
  /** Whole seconds since 1970; null: it is not known. */
  readonly at: number | null;
}

/** Tells where the parameters of a task are from. */
@Controller()
export class ProvenanceController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts) {}

  /** For each parameter every value it had; the last one holds now. */
  @Handles(OUTLOOK_ROUTES.getProvenance)
  async get(
    { path: { taskId }, principal }: Asked<typeof OUTLOOK_ROUTES.getProvenance>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    const found = new Map<string, WrittenValue[]>();
    for (const layer of taskLayers(task)) {
      const writer = writerOf(task, layer);
      const at = secondsOf(timeOf(task, layer));
      const values = task.hasSecrets ? maskValues(layer.values) : layer.values;
      for (const [key, value = null] of Object.entries(values)) {
        const written = { value, writer, at };
        const earlier = found.get(key);
        if (earlier === undefined) found.set(key, [written]);
        else earlier.push(written);
      }
    }
    // fromEntries defines members, so that no key can reach a prototype.
    const shown = Object.fromEntries(found);
    sendWithout(reply, shown, await hiddenIn(task, principal, this.options));
  }
}

function writerOf(task: Task, { place, writer }: ParameterLayer): PublicWriter {
  return place === undefined ? writer : { ...writer, id: runIdOf(task, place) };
}

/** The request and the constants are as old as the task. */
function timeOf({ plan, runs }: Task, { at, place }: ParameterLayer): number | null {
  if (place === undefined) return at ?? plan.createdAt;
  return runs[place]?.normal.endedAt ?? null;
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000);
}
