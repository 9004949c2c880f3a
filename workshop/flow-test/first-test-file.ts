import type { FlowDefinition, JsonObject } from '#core';
import { sampleScenario, type SampleScenario } from '#workshop/import';
import { parseFlowFile } from '#flow-files';
import { type Rehearsal, WHERES } from '#workshop/rehearsal';
import { type ExpectedCell, readScenario, type WrittenScenario } from './read-scenarios.js';
import { type Environment, type Rehearse, withRehearsals } from './with-rehearsals.js';

/** With more steps, failing each step in every way takes longer than people wait. */
const STEPS_MAX = 100;

/** The test file of imported flows. */
interface FirstTestFile {
  /** The content of the file. */
  readonly content: JsonObject;
  /** Names of the steps whose failure leaves something behind. */
  readonly leaving: readonly string[];
  /** For each flow that does not succeed with its sample, a sentence that says why. */
  readonly failing: readonly string[];
}

/**
 * A test file for flows that were just imported: sample parameters, sample answers, and the cells
 * where something is left behind because the source had no way back. Each of those is a cell that
 * `flow test` holds the flow to: it says so when the flow leaves more, and when it leaves less.
 */
export async function firstTestFile(
  flows: JsonObject,
  text: string,
  env: Environment,
): Promise<FirstTestFile> {
  const definitions = parseFlowFile(text).flows.map(({ definition }) => definition);
  const known = new Set(definitions.map(({ name }) => name));
  return withRehearsals(definitions, env, async (tryFlow) => {
    const made = new Map<string, Sampled>();
    for (const definition of definitions) {
      const sample = sampleScenario(flows[definition.name] as JsonObject, known);
      made.set(definition.name, await sampled(definition, sample, tryFlow));
    }
    const all = [...made.values()];
    const [only, ...more] = all.map(({ scenario }) => scenario);
    const byName = [...made].map(([name, { scenario }]) => [name, scenario] as const);
    const content = more.length === 0 ? only : { flows: Object.fromEntries(byName) };
    return {
      content: content as unknown as JsonObject,
      leaving: all.flatMap(({ scenario }) => [
        ...new Set((scenario.expect?.cells ?? []).flatMap(({ step }) => step ?? [])),
      ]),
      failing: all.flatMap(({ why }) => why ?? []),
    };
  });
}

interface Sampled {
  readonly scenario: WrittenScenario;
  /** Why it does not succeed; null: it does, or has too many steps to be tried. */
  readonly why: string | null;
}

async function sampled(
  definition: FlowDefinition,
  { answers, parameters }: SampleScenario,
  tryFlow: Rehearse,
): Promise<Sampled> {
  const scenario = { parameters, ...(Object.keys(answers).length > 0 && { answers }) };
  const commands = JSON.stringify(definition.steps).split('"normal":').length - 1;
  if (commands > STEPS_MAX) return { scenario, why: null };
  const { cells, undisturbed } = await tryFlow(definition, readScenario(definition, scenario));
  const { status, why } = undisturbed;
  if (status !== 'succeeded') return { scenario, why: `${definition.name} is ${status}: ${why}` };
  const left = leftIn(cells);
  return {
    scenario: left.length === 0 ? scenario : { ...scenario, expect: { cells: left } },
    why: null,
  };
}

/** The cells in which something is left, as few as say all of them. */
function leftIn(cells: Rehearsal['cells']): readonly ExpectedCell[] {
  const steps = new Set(cells.map(({ step }) => step));
  return [...steps].flatMap((step): ExpectedCell[] => {
    const own = cells.filter((cell) => cell.step === step && cell.direction === 'normal');
    const isLeft = (among: typeof own): boolean => {
      return among.length > 0 && among.every(({ result }) => result === 'residue');
    };
    if (isLeft(own)) return [{ step, result: 'residue' }];
    return WHERES.flatMap((where): ExpectedCell[] => {
      const there = own.filter((cell) => cell.where === where);
      if (isLeft(there)) return [{ step, where, result: 'residue' }];
      return there
        .filter((cell) => isLeft([cell]))
        .map(({ how }) => ({ step, where, how, result: 'residue' }));
    });
  });
}
