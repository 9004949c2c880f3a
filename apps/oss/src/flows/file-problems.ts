import { basename } from 'node:path';
import { type Principal, seesFlow } from '#access';
import { type FileProblem, type ProblemCode, splitPointer } from '#flow-files';
import type { FlowCatalogue } from '../options.js';
import { presentFinding } from './finding.presenter.js';

/** A mistake in a file of the folder of flows. */
interface PublicFileProblem {
  /** The flow that it is in; null: all of the file. */
  readonly flow: string | null;
  /** Name of the file within the folder; null: the folder itself. */
  readonly file: string | null;
  readonly pointer: string;
  readonly line: number;
  readonly column: number;
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
  /** The page that says more about its kind. */
  readonly type: string;
}

/** The mistakes that a caller sees: in flows that it sees, and of whole files if it sees all. */
export function visibleProblems(
  flows: Pick<FlowCatalogue, 'problems'>,
  principal: Principal,
): readonly PublicFileProblem[] {
  return flows.problems().flatMap((problem) => {
    const flow = flowOf(problem);
    const isSeen = flow === null ? principal.flows === null : seesFlow(principal, flow);
    return isSeen ? [presentProblem(problem, flow)] : [];
  });
}

/** Why a flow is not there although a file has it or may have it; null: no file is at fault. */
export function brokenText(
  name: string,
  flows: Pick<FlowCatalogue, 'problems'>,
  principal: Principal,
): string | null {
  const problems = visibleProblems(flows, principal);
  const own = problems.find(({ flow }) => flow === name);
  if (own !== undefined) return `It is broken in ${placeOf(own)}: ${own.message} ${own.hint}`;
  // A text that cannot be read does not tell which flows it has.
  const [first] = problems.filter(({ flow }) => flow === null);
  if (first === undefined) return null;
  return `A broken file may define it: ${placeOf(first)}: ${first.message} ${first.hint}`;
}

function placeOf({ column, file, line }: PublicFileProblem): string {
  return file === null ? 'the folder of flows' : `${file}:${line}:${column}`;
}

/** The first part of the pointer is the name of a flow. */
function flowOf({ pointer }: FileProblem): string | null {
  const [name = ''] = splitPointer(pointer);
  return name === '' || name === '$schema' ? null : name;
}

function presentProblem(
  { code, column, file, hint, line, message, pointer }: FileProblem,
  flow: string | null,
): PublicFileProblem {
  const name = code === 'FOLDER_NOT_READABLE' ? null : basename(file);
  return presentFinding({ flow, file: name, pointer, line, column, code, message, hint });
}
