/** One message of a stream of server-sent events. */
interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events from pieces of text, cut anywhere. Comments are left out. */
export class EventReader {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  /** The messages that are complete with this piece. */
  read(piece: string): ServerEvent[] {
    const text = this.#rest + piece;
    // A CR at the end may be the first half of CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch();
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#event = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [id, event, lines] = [this.#id, this.#event || 'message', this.#data];
    this.#event = '';
    this.#data = [];
    return lines.length === 0 ? undefined : { id, event, data: lines.join('\n') };
  }
}
