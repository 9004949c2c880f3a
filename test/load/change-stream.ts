/** A summary as the stream of changes tells it, as far as tests look at it. */
export interface ChangeView {
  readonly taskId: string;
  readonly status: string;
  readonly revision: number;
}

/** Hears of changes of tasks, and goes on after the last one wherever it connects next. */
export class ChangeReader {
  /** How each task stood last, by its id. */
  readonly tasks = new Map<string, ChangeView>();
  lastEventId: string | null = null;
  private ending = new AbortController();

  /** Connects; resolves once the gateway has answered. Changes are read in the background. */
  async connect(url: string): Promise<void> {
    this.ending = new AbortController();
    const last = this.lastEventId;
    const response = await fetch(`${url}/v1/events`, {
      headers: { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) },
      signal: this.ending.signal,
    });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    // The first block says where to go on.
    const rest = await this.read(reader, '', true);
    void this.read(reader, rest, false).catch(() => undefined);
  }

  /** Lets go of the connection. */
  leave(): void {
    this.ending.abort();
  }

  private async read(
    reader: ReadableStreamDefaultReader<string>,
    before: string,
    isFirst: boolean,
  ): Promise<string> {
    let text = before;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      const blocks = (text + value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.take(block);
      if (isFirst && blocks.length > 0) return text;
    }
  }

  private take(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    if (id !== undefined) this.lastEventId = id;
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) return;
    const task = JSON.parse(data) as ChangeView;
    const known = this.tasks.get(task.taskId);
    if (known === undefined || known.revision <= task.revision) this.tasks.set(task.taskId, task);
  }
}
