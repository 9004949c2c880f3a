import type { CommandContext, CommandLine, CommandLog, LineLevel } from '#ports';
import type { Logger } from './logger.js';

const LEVELS: ReadonlySet<string> = new Set<LineLevel>(['debug', 'info', 'warn', 'error']);

/** Writes the lines of commands to the process's log, each with the attempt that it is about. */
export class CommandLines implements CommandLog {
  constructor(private readonly logger: Logger) {}

  takes(level: LineLevel): boolean {
    return LEVELS.has(level) && this.logger.isLevelEnabled(level);
  }

  write(attempt: Omit<CommandContext, 'parameters'>, line: CommandLine): void {
    const { command, direction, flow, module, run, step, taskId } = attempt;
    const place = { taskId, step, run, attempt: attempt.attempt, direction };
    const trace_id = attempt.traceparent?.slice(3, 35);
    const { logger, stack, ...others } = line.details;
    const known = { ...textAs('logger', logger), ...textAs('stack', stack) };
    // Under a name of their own, they cannot pass for what Backstep says itself.
    const details = Object.keys(others).length === 0 ? undefined : others;
    const about = { event: 'command_log', ...place, flow, module, command, trace_id };
    this.logger[line.level]({ ...about, ...known, details }, line.message);
  }
}

function textAs(name: 'logger' | 'stack', value: unknown): object {
  return typeof value === 'string' ? { [name]: value } : {};
}
