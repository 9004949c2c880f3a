/** A look at one task that is on its way. */
interface Look {
  /** Something was heard since it began, so that another one follows. */
  isStale: boolean;
}

/** The parts that a look works with. */
interface LookParts {
  /** Looks at a task once. */
  readonly lookAt: (taskId: string) => Promise<void>;
  /** A look failed; the task's own time brings the next one. */
  readonly failed: (taskId: string, error: unknown) => void;
}

/**
 * Looks at tasks of which something was heard: of each one look is on its way at a time, however
 * many hints come meanwhile.
 */
export class Looks {
  private readonly underWay = new Map<string, Look>();
  private isStopped = false;

  constructor(private readonly parts: LookParts) {}

  /** Has the engine look at a task soon. Never throws. */
  hint(taskId: string): void {
    const found = this.underWay.get(taskId);
    if (found !== undefined) found.isStale = true;
    else if (!this.isStopped) void this.lookWhileStale(taskId);
  }

  /** Begins no further look. */
  stop(): void {
    this.isStopped = true;
  }

  /** Never rejects. */
  private async lookWhileStale(taskId: string): Promise<void> {
    const look: Look = { isStale: true };
    this.underWay.set(taskId, look);
    try {
      while (look.isStale && !this.isStopped) {
        look.isStale = false;
        await this.parts.lookAt(taskId);
      }
    } catch (error) {
      this.parts.failed(taskId, error);
    } finally {
      this.underWay.delete(taskId);
    }
  }
}
