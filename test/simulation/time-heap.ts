/** Something that is going to happen; `run` is null once it was called off. */
export interface Moment {
  readonly at: number;
  readonly order: number;
  run: (() => void) | null;
}

/** Future moments, the earliest first; those of the same time in the order of their making. */
export class TimeHeap {
  private readonly items: Moment[] = [];
  private pushed = 0;

  push(at: number, run: () => void): Moment {
    const moment: Moment = { at, order: this.pushed++, run };
    const { items } = this;
    let hole = items.length;
    items.push(moment);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isBefore(moment, items[parent]!)) break;
      items[hole] = items[parent]!;
      hole = parent;
    }
    items[hole] = moment;
    return moment;
  }

  /** Takes the first one that was not called off. */
  pop(): Moment | undefined {
    for (;;) {
      const first = this.take();
      if (first === undefined || first.run !== null) return first;
    }
  }

  private take(): Moment | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child += 1;
      if (!isBefore(items[child]!, last)) break;
      items[hole] = items[child]!;
      hole = child;
    }
    items[hole] = last;
    return first;
  }
}

function isBefore(one: Moment, other: Moment): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
