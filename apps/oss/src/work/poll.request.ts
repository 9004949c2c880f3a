import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import type { NextPoll, PollOrder, WorkDirection } from '#engine';
import { invalidRequest } from '#http-server';
import { Described, Fits, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';
import { IsLine, IsName, IsNames, IsTime, IsUuid, IsWorker, readTime, type Time } from './forms.js';
import { WORK_LIMITS } from './work-limits.js';

const { claims, commands, lease, modules, wait } = WORK_LIMITS;
const MODULES = `\`modules\` is a list of 1 to ${modules} names of modules.`;
const DIRECTIONS = '`directions` has `normal`, `rollback`, or both.';
const WORDS: readonly WorkDirection[] = ['normal', 'rollback'];

function IsMax(): PropertyDecorator {
  const message = `\`max\` is a whole number from 1 to ${claims}.`;
  return applyDecorators(Max(claims, { message }), Min(1, { message }), IsInt({ message }));
}

/** Asks for further items in the answer to an outcome. */
export class NextPollRequest implements NextPoll {
  @Described('Most items; never more than the free slots of the worker.')
  @IsMax()
  max!: number;
}

/** Body of `POST /v1/work:poll`. */
class PollRequest {
  @Described('The name of this start of the worker, such as `host/pid/random`.')
  @IsWorker()
  worker!: string;

  @Described('The modules whose actions are wanted.')
  @MayBeAbsent()
  @IsNames(1, modules, MODULES)
  modules?: readonly string[];

  @Described('Instead of `modules`: the only one.')
  @MayBeAbsent()
  @IsName('`module` is the name of a module.')
  module?: string;

  @Described('The commands that are wanted. Default: all of these modules.')
  @MayBeAbsent()
  @IsNames(1, commands, `\`commands\` is a list of 1 to ${commands} names of commands.`)
  commands?: readonly string[];

  @Described('Most items; never more than the free slots of the worker. Default: 1.')
  @MayBeAbsent()
  @IsMax()
  max?: number;

  @Described('How long the answer may wait for a first item: up to 30s. Default: 20s.')
  @MayBeAbsent()
  @IsTime('wait', wait)
  wait?: Time;

  @Described('The lease of a claim, renewed by heartbeats: 10s to 10m. Default: 30s.')
  @MayBeAbsent()
  @IsTime('lease', lease)
  lease?: Time;

  @Described('Makes the poll repeatable: again within 60 seconds it gives the same items.')
  @MayBeAbsent()
  @IsUuid('`pollId` is a UUID.')
  pollId?: string;

  @Described('Only actions of these directions. Default: both.')
  @MayBeAbsent()
  @IsDirections()
  directions?: readonly WorkDirection[];

  @Described('The build of the code of the worker, kept with its attempts.')
  @MayBeAbsent()
  @IsLine('build')
  build?: string;
}

function IsDirections(): PropertyDecorator {
  const items = { type: 'string', enum: WORDS };
  const schema = { type: 'array', minItems: 1, maxItems: WORDS.length, items };
  const validate = (value: unknown): boolean => {
    const isList = Array.isArray(value) && value.length > 0 && value.length <= WORDS.length;
    return isList && value.every((each) => WORDS.some((word) => word === each));
  };
  return Fits({ name: 'isDirections', schema, validate, message: DIRECTIONS });
}

/** Reads the body of a poll. */
export const pollReader = new RequestReader(PollRequest);

/** Reads the wish for further items in the body of an outcome. */
export const nextPollReader = new RequestReader(NextPollRequest);

/** The poll that a request asks for. Throws the `Problem` of members that do not go together. */
export function pollOf({ lease: leased, max = 1, wait: waiting, ...rest }: PollRequest): PollOrder {
  const { build, commands: wanted, directions, module, modules: several, pollId, worker } = rest;
  if ((module === undefined) === (several === undefined)) {
    throw invalidRequest({ pointer: '/modules', message: 'Send either `modules` or `module`.' });
  }
  return {
    worker,
    max,
    modules: [...new Set(several ?? [module ?? ''])],
    waitMs: readTime('wait', waiting ?? wait.default, wait),
    leaseMs: readTime('lease', leased ?? lease.default, lease),
    ...(wanted !== undefined && { commands: wanted }),
    ...(pollId !== undefined && { pollId: pollId.toLowerCase() }),
    ...(directions !== undefined && { directions }),
    ...(build !== undefined && { build }),
  };
}
