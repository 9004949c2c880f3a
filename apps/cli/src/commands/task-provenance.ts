import type { WrittenReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';
import { timeText } from './task-columns.js';

/** A value of a parameter in a list of all. */
interface Row extends WrittenReport {
  readonly key: string;
}

const STYLE: RowStyle<Row> = {
  name: ({ key }) => key,
  columns: [
    { title: 'KEY', value: ({ key }) => key },
    { title: 'VALUE', value: ({ value }) => JSON.stringify(value) },
    { title: 'WRITER', value: ({ writer }) => writerText(writer) },
    { title: 'AT', value: ({ at }) => (at === null ? '-' : timeText(at)) },
  ],
};

/** `task provenance`: each value that a parameter had, the last one is what it has. */
export async function taskProvenance(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const found = await client.ask('GET /v1/tasks/{taskId}/provenance', {
    path: { taskId: await taskId(client, call) },
  });
  if (session.options.output === 'json') {
    session.printJson(found);
    return EXIT.done;
  }
  const rows = Object.entries(found).flatMap(([key, values]) => {
    return values.map((value) => ({ key, ...value }));
  });
  session.printRows(rows, STYLE);
  return EXIT.done;
}

function writerText(writer: WrittenReport['writer']): string {
  if (writer.kind === 'step') return `step ${writer.id}`;
  return writer.kind === 'person' ? `person ${writer.actor}` : writer.kind;
}
