import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { alertRules } from './named-metrics.js';
import { REPOSITORY } from '../stack/repository.js';

const run = promisify(execFile);

/** The answers of `/metrics` of processes, each by the name of its instance. */
export type Scrapes = Readonly<Record<string, string>>;

interface PromtoolPlace {
  readonly promtool: string;
  /** For the file of the test. */
  readonly folder: string;
}

/** For how long the scraped values stay as they are, in minutes. */
const MINUTES = 5;

/**
 * Names of the alerts that fire once processes have answered so for five minutes. Each alert is a
 * test of promtool, which says by failing that it does not fire.
 */
export async function alertsOfScrapes(
  scrapes: Scrapes,
  { folder, promtool }: PromtoolPlace,
): Promise<readonly string[]> {
  const series = Object.entries(scrapes).flatMap(([instance, text]) => seriesOf(text, instance));
  const found = await Promise.all(
    alertRules().map(async ({ alert }) => {
      const file = path.join(folder, `${alert}.json`);
      await writeFile(file, JSON.stringify(testOf(alert, series)));
      const fires = await run(promtool, ['test', 'rules', file]).then(
        () => true,
        () => false,
      );
      return fires ? [alert] : [];
    }),
  );
  return found.flat();
}

interface Series {
  readonly series: string;
  readonly values: string;
}

/** The samples of a scrape, under the labels that Prometheus adds, and its own of the scrape. */
function seriesOf(text: string, instance: string): readonly Series[] {
  const up = { series: `up{job="backstep",instance="${instance}"}`, values: `1x${MINUTES}` };
  const told = [...text.matchAll(/^(backstep_\w+)(?:\{(.*)\})? (\S+)$/gm)].map((line) => {
    const [, name = '', labels = '', value = ''] = line;
    const own = `job="backstep",instance="${instance}"`;
    const all = labels === '' ? own : `${labels},${own}`;
    return { series: `${name}{${all}}`, values: `${value}x${MINUTES}` };
  });
  return [up, ...told];
}

function testOf(alert: string, series: readonly Series[]): object {
  const query = {
    expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
    eval_time: `${MINUTES}m`,
    exp_samples: [{ labels: '{}', value: 1 }],
  };
  return {
    rule_files: [path.join(REPOSITORY, 'monitoring/rules.yml')],
    evaluation_interval: '1m',
    tests: [{ interval: '1m', input_series: series, promql_expr_test: [query] }],
  };
}
