import { useEffect, useState } from 'preact/hooks';
import { readOutput } from '../api/events.js';
import { isForGood } from '../api/exchange.js';
import type { AttemptProgress, LogLine } from '../api/output-shapes.js';
import { pause } from '../browser/clock.js';
import { untilSeen } from '../ui/rest.js';
import { type Output, SILENT, withNews } from './output-lines.js';

const AGAIN_MS = 2_000;
/** News of this time is drawn at once, in milliseconds. */
const GATHER_MS = 150;

/** Which output is followed. */
interface OutputOrder {
  readonly taskId: string;
  /** Id of a run; null: of all. */
  readonly run: string | null;
  /** Whether the task may still write. */
  readonly isLive: boolean;
}

/** The output of a task or a run, followed while the page can be seen and the task goes on. */
export function useOutput({ isLive, run, taskId }: OutputOrder): Output {
  const [output, set] = useState(SILENT);
  useEffect(() => set(SILENT), [taskId, run]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const reader = new OutputReader({ taskId, run, isLive }, signal, (news) => {
      if (!signal.aborted) set((before) => withNews(before, news));
    });
    void reader.follow();
    return () => controller.abort();
  }, [taskId, run, isLive]);
  return output;
}

type Said = AttemptProgress | LogLine;

class OutputReader {
  private fresh: Said[] = [];
  private isGathering = false;

  constructor(
    private readonly order: OutputOrder,
    private readonly signal: AbortSignal,
    private readonly tell: (news: readonly Said[]) => void,
  ) {}

  /** Until the task has ended, over broken connections. */
  async follow(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        await untilSeen(this.signal);
        if (await this.read()) return;
      } catch (error) {
        if (this.signal.aborted) return;
        if (isForGood(error)) return;
      }
      await pause(AGAIN_MS, this.signal);
    }
  }

  /** Whether all was read; a page that nobody sees reads nothing, since browsers open few. */
  private async read(): Promise<boolean> {
    const turn = new AbortController();
    const end = (): void => turn.abort();
    const leave = (): void => {
      if (document.visibilityState !== 'visible') end();
    };
    this.signal.addEventListener('abort', end);
    document.addEventListener('visibilitychange', leave);
    try {
      const { run, taskId } = this.order;
      const onSaid = (said: Said): void => this.hear(said);
      await readOutput({ taskId, run, signal: turn.signal, onSaid });
      return !this.order.isLive;
    } finally {
      this.signal.removeEventListener('abort', end);
      document.removeEventListener('visibilitychange', leave);
    }
  }

  private hear(said: Said): void {
    this.fresh.push(said);
    void this.gather();
  }

  private async gather(): Promise<void> {
    if (this.isGathering) return;
    this.isGathering = true;
    await pause(GATHER_MS, this.signal);
    this.isGathering = false;
    this.tell(this.fresh.splice(0));
  }
}
