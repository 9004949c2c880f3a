import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../stack/repository.js';

const FOLDER = path.join(REPOSITORY, 'monitoring');

/** An alert as `rules.yml` has it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

/** A metric, and the place that names it. */
export interface NamedMetric {
  readonly name: string;
  readonly place: string;
}

/** A dashboard of Grafana: what tests look at. */
export interface Dashboard {
  readonly file: string;
  readonly uid: string;
  readonly title: string;
  readonly expressions: readonly string[];
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** The text of a file of `monitoring/`. */
export function monitoringText(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}

/** All alerts that are shipped. */
export function alertRules(): readonly AlertRule[] {
  const { groups } = parse(monitoringText('rules.yml')) as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** A unit test of rules, as `rules.test.yml` has it. */
interface RuleTest {
  /** YAML reads `0x10` as a number. */
  readonly input_series: readonly { readonly series: string; readonly values: string | number }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly object[];
  }[];
}

/** The names of the alerts that a unit test expects to fire. */
export function alertsTested(): ReadonlySet<string> {
  return alertsFiredIn(ruleTests());
}

/**
 * The names of the alerts that a unit test expects to fire where none of the metrics of their
 * rule was there before: a fresh process has no counter of what has not happened yet.
 */
export function alertsTestedFromNothing(): ReadonlySet<string> {
  const tests = ruleTests();
  return new Set(
    alertRules()
      .filter(({ alert, expr }) => {
        const fresh = tests.filter(({ input_series: all }) => {
          const own = all.filter(({ series }) => expr.includes(series.replace(/\{.*/, '')));
          return own.every(({ values }) => String(values).startsWith('_'));
        });
        return alertsFiredIn(fresh).has(alert);
      })
      .map(({ alert }) => alert),
  );
}

function ruleTests(): readonly RuleTest[] {
  return (parse(monitoringText('rules.test.yml')) as { readonly tests: readonly RuleTest[] }).tests;
}

function alertsFiredIn(tests: readonly RuleTest[]): ReadonlySet<string> {
  const cases = tests.flatMap(({ alert_rule_test: all }) => all);
  const fired = cases.filter(({ exp_alerts: expected }) => expected.length > 0);
  return new Set(fired.map(({ alertname }) => alertname));
}

/** All dashboards that are shipped. */
export function dashboards(): readonly Dashboard[] {
  const files = readdirSync(path.join(FOLDER, 'dashboards')).toSorted();
  return files.map((file) => {
    const { panels, templating, title, uid } = JSON.parse(
      monitoringText(path.join('dashboards', file)),
    ) as {
      readonly uid: string;
      readonly title: string;
      readonly panels: readonly Panel[];
      readonly templating: { readonly list: readonly { readonly query: string }[] };
    };
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const offered = templating.list.map(({ query }) => query);
    return { file, uid, title, expressions: [...asked, ...offered] };
  });
}

/** Every metric of Backstep, and of its processes, that rules, dashboards and a page name. */
export function namedMetrics(page: {
  readonly path: string;
  readonly text: string;
}): NamedMetric[] {
  const rules = alertRules().map(({ alert, expr }) => ({ place: alert, text: expr }));
  const boards = dashboards().flatMap(({ expressions, file }) =>
    expressions.map((text) => ({ place: file, text })),
  );
  const tests = { place: 'rules.test.yml', text: monitoringText('rules.test.yml') };
  return [...rules, ...boards, tests, { place: page.path, text: page.text }].flatMap(
    ({ place, text }) => {
      const found = text.match(/\b(?:backstep|process)_[a-z_]+[a-z]\b(?!\.)/g) ?? [];
      return found.map((name) => ({ name, place }));
    },
  );
}

/** The names of the series of a scrape: of a histogram those of its parts. */
export function scrapedNames(scrape: string): ReadonlySet<string> {
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) => {
      if (type !== 'histogram') return [name];
      return [name, `${name}_bucket`, `${name}_sum`, `${name}_count`];
    }),
  );
}
