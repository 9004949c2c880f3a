import { describe, expect, it } from '@jest/globals';
import type { AttemptOutput, AttemptPlace, CommandContext, OutputLine, Progress } from '#ports';
import { chain, done, EngineWorld, PlainSecrets } from '#testing';

class Heard implements AttemptOutput {
  readonly places: AttemptPlace[] = [];
  readonly lines: OutputLine[] = [];
  readonly progresses: Progress[] = [];
  readonly ended: AttemptPlace[] = [];

  append(place: AttemptPlace, lines: readonly OutputLine[]): boolean {
    this.places.push(place);
    this.lines.push(...lines);
    return false;
  }

  progress(place: AttemptPlace, progress: Progress): void {
    this.places.push(place);
    this.progresses.push(progress);
  }

  end(place: AttemptPlace): void {
    this.ended.push(place);
  }
}

/** The output of a flow of one step whose command does this. */
async function heardOf(act: (context: CommandContext) => void): Promise<Heard> {
  const heard = new Heard();
  const w = new EngineWorld({ output: heard, secrets: new PlainSecrets() });
  await w.engine.start();
  w.commands.scripts.set('m.a', (context) => {
    act(context);
    return done();
  });
  const input = { properties: { pw: { type: 'string', secret: true } } };
  await w.submit({ ...chain(['a']), input }, { pw: 'my-password' });
  await w.engine.stop();
  return heard;
}

async function messagesOf(act: (context: CommandContext) => void): Promise<readonly string[]> {
  return (await heardOf(act)).lines.map(({ message }) => message);
}

describe('what an attempt says', () => {
  it('is kept under its place, with the time of tasks, until it is told to be over', async () => {
    const heard = await heardOf((context) => {
      context.log('begins');
      context.progress(50, 'half', 'copying');
    });
    const place = { step: 'a', run: 'a', direction: 'normal', attempt: 1 };
    expect(heard.places).toMatchObject([place, place]);
    expect(heard.lines).toEqual([{ at: 1_800_000_000_000, level: 'info', message: 'begins' }]);
    expect(heard.progresses).toEqual([{ percent: 50, message: 'half', state: 'copying' }]);
    expect(heard.ended).toMatchObject([place]);
  });

  it('is nothing of an attempt that says nothing', async () => {
    const heard = await heardOf(() => undefined);
    expect([heard.places, heard.ended]).toEqual([[], []]);
  });

  it('has the details of a line, and its stack', async () => {
    const stack = 'Error: no\n    at there';
    expect(
      await messagesOf((context) => {
        context.log('copied', { files: 3 });
        context.log('broken', { level: 'error', stack, logger: 'Copier' });
      }),
    ).toEqual(['copied {"files":3}', `broken\n${stack}`]);
  });

  it('has lines of `debug` only where the log of the process takes them', async () => {
    const levels = await heardOf((context) => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) context.log('x', { level });
      context.log('x', { level: 'loud' as never });
    });
    expect(levels.lines.map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
  });

  it('has no secret of it, also where that is split over a line and its details', async () => {
    expect(
      await messagesOf((context) => {
        void context.parameters;
        context.log('with my-password in it');
        context.log('my-pass', { rest: 'word and more', size: 1 });
      }),
    ).toEqual(['with *** in it', '*** {"rest":"*** and more","size":1}']);
    const { progresses } = await heardOf((context) => {
      context.progress(1, 'at my-password', 'at-my-password');
    });
    expect(progresses).toEqual([{ percent: 1, message: 'at ***', state: 'at-___' }]);
  });

  it('of its progress is a number from 0 to 100 and a short text, whatever it gives', async () => {
    const { progresses } = await heardOf((context) => {
      context.progress(-3);
      context.progress(1e9, 'x'.repeat(900));
      context.progress(Number.NaN, null);
      context.progress('7' as never, 8 as never);
    });
    expect(progresses).toEqual([
      { percent: 0 },
      { percent: 100, message: 'x'.repeat(500) },
      {},
      {},
    ]);
  });
});
