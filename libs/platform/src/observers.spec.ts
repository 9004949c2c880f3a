import { describe, expect, it, jest } from '@jest/globals';
import { type ActionRun, ALERT_FLOW, ALERT_RUN, type JournalEntry, type Task } from '#core';
import type { Notice } from '#ports';
import { commandContext, SAMPLE_TIME, sampleTask } from '#testing';
import { combineObservers, CommandLines, createLogger, LogObserver } from './index.js';
import { PrometheusObserver } from './index.js';

const NOTICE: Notice = {
  level: 'warn',
  name: 'publish_failed',
  message: 'the broker did not answer',
  module: 'mysql',
  error: new Error('socket closed'),
};

function entry(kind: JournalEntry['kind'], rest: Partial<JournalEntry> = {}): JournalEntry {
  return { seq: 2, at: SAMPLE_TIME + 2_000, kind, ...rest };
}

function withRun(task: Task, run: Partial<ActionRun>): Task {
  const [first, ...others] = task.runs;
  if (first === undefined) return task;
  return { ...task, runs: [{ ...first, normal: { ...first.normal, ...run } }, ...others] };
}

class Lines {
  readonly written: string[] = [];
  constructor(readonly isTTY = false) {}

  write(line: string): void {
    this.written.push(line);
  }

  get json(): Record<string, unknown>[] {
    return this.written.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

describe('the log', () => {
  it('says nothing at info of what goes as planned', () => {
    const lines = new Lines();
    const observer = new LogObserver(createLogger({ level: 'info', stream: lines }));
    const calm = ['created', 'started', 'succeeded', 'retry_scheduled', 'task_succeeded'] as const;
    observer.committed(
      sampleTask(),
      calm.map((kind) => entry(kind)),
    );
    expect(lines.written).toEqual([]);
  });

  it('says nothing at info of child tasks that do as their parent, and what they did alone', () => {
    const lines = new Lines();
    const observer = new LogObserver(createLogger({ level: 'info', stream: lines }));
    const parent = { taskId: 'p', run: 'each#1', index: 0, isPart: true, depth: 1 };
    const child = sampleTask({ parent });
    const asked = entry('undo_requested', { actor: 'task p' });
    observer.committed(child, [asked, entry('turned_back'), entry('task_rolled_back')]);
    expect(lines.written).toEqual([]);
    observer.committed(child, [entry('failed'), entry('undo_requested', { actor: 'ann' })]);
    expect(lines.json.map(({ event }) => event)).toEqual(['failed', 'undo_requested']);
  });

  it('has one line per fact, what it is about before the text', () => {
    const lines = new Lines();
    const observer = new LogObserver(createLogger({ level: 'debug', stream: lines }));
    const about = { step: 'check', direction: 'normal', attempt: 2, actor: 'host-1' } as const;
    const task = sampleTask();
    observer.committed(task, [entry('failed', { ...about, message: 'busy' }), entry('created')]);
    expect(lines.json).toHaveLength(2);
    const { taskId } = task.plan;
    const flow = 'create-instance';
    expect(lines.json[0]).toMatchObject({ event: 'failed', level: 'info', taskId, flow, ...about });
    const members = Object.keys(lines.json[0] ?? {});
    expect(members.slice(0, 5)).toEqual(['level', 'time', 'event', 'taskId', 'step']);
    expect(members.at(-1)).toBe('msg');
  });

  it('has the stack trace of a failed attempt, below the line where a person looks', () => {
    const stack = 'Error: busy\n    at order (host.ts:7:3)\u001b[2J';
    const failed = entry('failed', { step: 'check', direction: 'normal', attempt: 1, stack });
    const [json, shown] = [new Lines(), new Lines(true)].map((stream) => {
      const observer = new LogObserver(createLogger({ level: 'info', stream }));
      observer.committed(sampleTask(), [failed]);
      return stream;
    });
    expect(json?.json[0]).toMatchObject({ event: 'failed', stack });
    const [line, ...below] = stripColours(shown?.written[0] ?? '').split('\n');
    expect(line).toMatch(/\[check #1\]$/);
    expect(below).toEqual([
      '             Error: busy',
      '               at order (host.ts:7:3)?[2J',
      '',
    ]);
  });

  it('has the stack trace of an error, and not of what is only away', () => {
    const lines = new Lines(true);
    const observer = new LogObserver(createLogger({ level: 'info', stream: lines }));
    observer.noticed({ ...NOTICE, level: 'error' });
    observer.noticed(NOTICE);
    const [error = '', warning = ''] = lines.written;
    expect(error).toContain('observers.spec.ts');
    expect(warning.split('\n')).toHaveLength(2);
  });

  it('has the lines of commands, apart from its own words', () => {
    const lines = new Lines();
    const log = new CommandLines(createLogger({ level: 'info', stream: lines }));
    const attempt = commandContext({ taskId: 't-1', step: 'order', run: 'order~2', attempt: 3 });
    const details = { level: 'error', taskId: 'forged', logger: 'gpu', size: 4 };
    log.write(attempt, { level: 'warn', message: 'slow', details });
    expect(lines.json).toHaveLength(1);
    expect(lines.json[0]).toMatchObject({
      level: 'warn',
      event: 'command_log',
      taskId: 't-1',
      step: 'order',
      run: 'order~2',
      attempt: 3,
      logger: 'gpu',
      details: { level: 'error', taskId: 'forged', size: 4 },
      msg: 'slow',
    });
    expect(['debug', 'info', 'trace'].map((level) => log.takes(level as 'info'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each(['alert_raised', 'task_rollback_failed'] as const)('is loud about %s', (kind) => {
    const lines = new Lines();
    const observer = new LogObserver(createLogger({ level: 'error', stream: lines }));
    observer.committed(sampleTask(), [entry(kind, { message: 'why' })]);
    expect(lines.json[0]).toMatchObject({ level: 'error', event: kind, msg: 'why' });
  });

  it('tells notices at their own level, with the error', () => {
    const lines = new Lines();
    const observer = new LogObserver(createLogger({ level: 'warn', stream: lines }));
    observer.noticed({ ...NOTICE, level: 'info' });
    observer.noticed(NOTICE);
    expect(lines.json).toHaveLength(1);
    const error = { message: 'socket closed' };
    expect(lines.json[0]).toMatchObject({ event: 'publish_failed', module: 'mysql', error });
  });

  it('lets no text of others control the terminal of a person who looks', () => {
    const lines = new Lines(true);
    const observer = new LogObserver(createLogger({ level: 'info', stream: lines }));
    const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r12:00:00 error forged';
    const about = { step: evil, direction: 'normal', attempt: 1, message: evil } as const;
    observer.committed(sampleTask(), [entry('failed', about)]);
    observer.noticed({ ...NOTICE, name: evil, module: evil, error: new Error(evil) });
    const shown = lines.written.map((line) => stripColours(line).slice(0, -1));
    expect(shown.filter((line) => /\p{Cc}/u.test(line))).toEqual([]);
    expect(shown[0]).toContain('?[2J?]0;owned??31m 12:00:00 error forged');
  });

  it('is one readable line per fact where a person looks', () => {
    const lines = new Lines(true);
    const observer = new LogObserver(createLogger({ level: 'info', stream: lines }));
    const about = { step: 'check', direction: 'rollback', attempt: 2, message: 'a\n  b' } as const;
    const task = sampleTask();
    observer.committed(task, [entry('failed', about)]);
    observer.noticed(NOTICE);
    const [first = '', second = ''] = lines.written.map((line) => stripColours(line));
    expect(first).toContain(`failed ${task.plan.taskId} [check rollback #2] a b\n`);
    expect(second).toMatch(/warn {2}publish_failed mysql .*did not answer \(socket closed\)\n$/);
  });
});

describe('metrics', () => {
  it('count tasks and steps by what became of them', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    const task = sampleTask();
    const step = { step: 'check', direction: 'normal', attempt: 1 } as const;
    observer.committed(task, [entry('created')]);
    observer.committed(withRun(task, { state: 'waiting' }), [entry('failed', step)]);
    const done = withRun(task, { state: 'succeeded', startedAt: SAMPLE_TIME });
    observer.committed(done, [entry('succeeded', step)]);
    const ended = { ...done, status: 0, endedAt: SAMPLE_TIME + 3_000 } as const;
    observer.committed(ended, [entry('task_succeeded')]);

    const text = await observer.registry.metrics();
    const flow = 'flow="create-instance"';
    const action = `${flow},module="resource",command="check_resource",direction="normal"`;
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        `backstep_tasks_started_total{${flow}} 1`,
        `backstep_tasks_finished_total{${flow},status="succeeded"} 1`,
        `backstep_task_duration_seconds_sum{${flow},status="succeeded"} 3`,
        `backstep_steps_finished_total{${action},outcome="succeeded"} 1`,
        `backstep_step_retries_total{${action}} 1`,
        `backstep_step_duration_seconds_bucket{${action},le="1"} 0`,
        `backstep_step_duration_seconds_bucket{${action},le="5"} 1`,
        `backstep_step_duration_seconds_bucket{${action},le="+Inf"} 1`,
        `backstep_step_duration_seconds_count{${action}} 1`,
        '# TYPE backstep_step_duration_seconds histogram',
      ]),
    );
  });

  it('count what ended badly as an outcome and not as a retry', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    const task = withRun(sampleTask(), { state: 'timed_out', endedAt: SAMPLE_TIME + 2_000 });
    observer.committed(task, [entry('timed_out', { step: 'check', direction: 'normal' })]);
    const text = await observer.registry.metrics();
    expect(text).toContain('outcome="timed_out"} 1');
    expect(text).not.toMatch(/backstep_step_retries_total\{/);
  });

  it('have few series of a flow: each begins with what it counts', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    observer.committed(sampleTask(), [entry('created')]);
    const series = (await observer.registry.metrics()).match(/^backstep_.*$/gm) ?? [];
    expect(series).toEqual([
      'backstep_tasks_started_total{flow="create-instance"} 1',
      'backstep_alerts_raised_total{flow="create-instance"} 0',
    ]);
  });

  it('drop those of a retired flow once they were read, and begin again with a late event', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    let isRetired = false;
    observer.dropFlows((flow) => isRetired && flow === 'create-instance');
    const task = sampleTask();
    const read = async (): Promise<string | undefined> => {
      const text = await observer.registry.metrics();
      return /^backstep_tasks_started_total\{.*$/m.exec(text)?.[0];
    };
    const counted = (count: number): string => {
      return `backstep_tasks_started_total{flow="create-instance"} ${count}`;
    };
    observer.committed(task, [entry('created')]);
    expect([await read(), await read()]).toEqual([counted(1), counted(1)]);
    isRetired = true;
    expect(await read()).toBe(counted(1));
    observer.committed(task, [entry('created')]);
    // Nobody has read this one yet.
    expect(await read()).toBe(counted(2));
    expect(await read()).toBeUndefined();
    expect(await observer.registry.metrics()).not.toContain('create-instance');
    observer.committed(task, [entry('created')]);
    expect(await read()).toBe(counted(1));
  });

  it('count alert tasks with their attempts alone', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    const parent = { taskId: 'p', run: ALERT_RUN, index: 1, isPart: false, depth: 1 };
    const task = sampleTask({ flow: ALERT_FLOW, parent });
    const about = { step: 'check', direction: 'normal' } as const;
    observer.committed(task, [entry('created'), entry('started', about)]);
    const text = await observer.registry.metrics();
    expect(text).toMatch(/attempts_started_total{flow="backstep-alert".*} 1/);
    expect(text).not.toMatch(/tasks_started_total{flow="backstep-alert"} [1-9]/);
    expect(text).not.toContain('child_tasks_started_total{flow="backstep-alert"}');
  });

  it('count alerts, repeated messages and notices', async () => {
    const observer = new PrometheusObserver({ processMetrics: false });
    const about = { step: 'check', direction: 'normal' } as const;
    observer.committed(sampleTask(), [entry('alert_raised', { ...about, direction: 'rollback' })]);
    observer.committed(sampleTask(), [entry('dispatched_again', about)]);
    observer.noticed(NOTICE);
    observer.noticed(NOTICE);
    const text = await observer.registry.metrics();
    expect(text).toContain('backstep_alerts_raised_total{flow="create-instance"} 1');
    expect(text).toContain('backstep_messages_dispatched_again_total{flow="create-instance"} 1');
    expect(text).toContain('backstep_notices_total{name="publish_failed",level="warn"} 2');
  });

  it('have the process in them', async () => {
    const text = await new PrometheusObserver().registry.metrics();
    expect(text).toContain('process_cpu_seconds_total');
  });
});

describe('combined observers', () => {
  it('are all told, in order', () => {
    const told: string[] = [];
    const observer = (name: string) => ({
      committed: jest.fn(() => void told.push(name)),
      noticed: jest.fn(() => void told.push(name)),
    });
    const both = combineObservers(observer('a'), observer('b'));
    both.committed(sampleTask(), []);
    both.noticed(NOTICE);
    expect(told).toEqual(['a', 'b', 'a', 'b']);
  });
});

function stripColours(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- Colours are control characters.
  return text.replaceAll(/\u001B\[[0-9;]*m/g, '');
}
