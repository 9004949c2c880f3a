import type { PreviewReport } from '../client/types.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { taskId } from './task-id.js';

/** One line of a preview: an action that runs if the previewed one is done. */
interface Line {
  readonly id: string;
  readonly way: 'start' | 'undo';
  readonly module: string | null;
  readonly command: string | null;
}

const STYLE: RowStyle<Line> = {
  name: ({ id }) => id,
  columns: [
    { title: 'STEP', value: ({ id }) => id },
    { title: 'WHAT', value: ({ way }) => way },
    {
      title: 'COMMAND',
      value: ({ command, module }) => (module === null ? '' : `${module}.${command}`),
    },
  ],
};

/** `task preview`: the course of an action, if it were done now. */
export async function taskPreview(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const id = await taskId(client, call);
  const query = {
    action: textArg(call, 1),
    to: textOption(call, 'to'),
    step: textOption(call, 'step'),
    children: textOption(call, 'children'),
  };
  const preview = await client.ask('GET /v1/tasks/{taskId}/preview', {
    path: { taskId: id },
    query,
  });
  if (session.options.output === 'json') session.printJson(preview);
  else session.printRows(linesOf(preview), STYLE);
  for (const line of notesOn(preview)) session.say(line);
}

/** An undo that starts at once is one of the undos that follow. */
function linesOf({ starts, undoes }: PreviewReport): readonly Line[] {
  const forward = starts.filter(({ direction }) => direction === 'normal');
  return [
    ...forward.map(({ command, id, module }) => ({ id, way: 'start' as const, module, command })),
    ...undoes.map(({ command, id, module }) => ({ id, way: 'undo' as const, module, command })),
  ];
}

function notesOn(preview: PreviewReport): readonly string[] {
  const { calledOff, estimate, isCut, leftOver, obstacle, status } = preview;
  const names = (places: PreviewReport['leftOver']): string => {
    return places.map(({ id }) => id).join(', ');
  };
  const moved = `The task is ${status.before}, and would be ${status.after}.`;
  return [
    status.after === status.before ? `The task would stay ${status.before}.` : moved,
    ...(calledOff.length === 0 ? [] : [`Told to stop: ${names(calledOff)}.`]),
    ...(isCut ? ['There is more than is listed.'] : []),
    ...(estimate === null ? [] : [estimate.message]),
    ...(obstacle === null ? [] : [`Not all of it is undone: ${obstacle}.`]),
    ...(leftOver.length === 0 ? [] : [`It stays as it is, what these did: ${names(leftOver)}.`]),
  ];
}
