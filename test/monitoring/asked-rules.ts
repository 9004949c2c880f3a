import { dashboards } from './named-metrics.js';

/** Values that Grafana puts in the place of its variables. */
const VALUES: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  __interval: '1m',
  __range: '1h',
};

/** A variable that a reader chooses. */
const CHOSEN = 'chosen';

/** A file of rules that records what every panel and every variable of the dashboards asks for. */
export function askedRules(): string {
  const rules = dashboards().flatMap(({ expressions, file }) => {
    const name = file.replaceAll(/\W/g, '_');
    return expressions.map((text, n) => ({ record: `${name}:${n}`, expr: askedOf(text) }));
  });
  return JSON.stringify({ groups: [{ name: 'dashboards', rules }] });
}

/** An expression as Prometheus gets it. */
function askedOf(text: string): string {
  const [, selector] = /^label_values\((.+), *\w+\)$/.exec(text) ?? [];
  const asked = selector ?? text;
  return asked.replaceAll(/\$(\w+)/g, (_, name: string) => VALUES[name] ?? CHOSEN);
}
