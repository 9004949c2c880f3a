import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  alertRules,
  alertsTested,
  alertsTestedFromNothing,
  dashboards,
  monitoringText,
} from './index.js';

/** The names of a page's headings, as links write them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('an alert', () => {
  const tested = alertsTested();
  const fromNothing = alertsTestedFromNothing();

  it.each(alertRules())('$alert has a section that says what to do', ({ annotations }) => {
    const { hash, host, pathname } = new URL(annotations.runbook_url);
    expect(host).toBe('backstep.example');
    const page = pathname.slice(1);
    expect(existsSync(page)).toBe(true);
    expect(anchorsOf(readFileSync(page, 'utf8'))).toContain(hash.slice(1));
  });

  it.each(alertRules())('$alert names a command to paste', ({ annotations }) => {
    expect(annotations.description).toMatch(/[.:] .*`[^`]+`/);
  });

  it.each(alertRules())('$alert names what its labels tell apart', ({ annotations, expr }) => {
    const { description, summary } = annotations;
    const [, by = ''] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
    for (const label of by.split(', ').filter((name) => name !== '' && name !== 'le')) {
      expect(`${summary} ${description}`).toContain(`$labels.${label}`);
    }
  });

  it.each(alertRules())('$alert has a test in which it fires', ({ alert }) => {
    expect([...tested]).toContain(alert);
  });

  it.each(alertRules())('$alert has a test in which it fires though nothing was there', (rule) => {
    expect([...fromNothing]).toContain(rule.alert);
  });

  it.each(alertRules())('$alert counts what a counter begins with', ({ expr }) => {
    const flat = expr.replaceAll(/\s+/g, ' ');
    expect(flat).not.toMatch(/\b(?:rate|irate|delta)\(/);
    for (const [, metric = '', window] of flat.matchAll(/ or increase\((\w+)[^[]*\[(\w+)\]\)/g)) {
      expect(flat).toContain(` unless ${metric} offset ${window}) or increase(${metric}`);
    }
    expect(flat.match(/(?<! or )increase\(/g)).toBeNull();
  });

  it.each(alertRules())('$alert has one of three severities', ({ labels }) => {
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
  });
});

describe('the dashboards', () => {
  it('are four, with names of their own that do not change', () => {
    expect(dashboards().map(({ file, uid }) => [file, uid])).toEqual(
      ['executors', 'flow', 'needs-a-person', 'overview'].map((name) => [
        `backstep-${name}.json`,
        `backstep-${name}`,
      ]),
    );
  });

  it.each(dashboards())('$title asks for something in each of its panels', ({ expressions }) => {
    expect(expressions.length).toBeGreaterThan(5);
    for (const expression of expressions) expect(expression.trim()).not.toBe('');
  });

  it.each(dashboards())('$title counts what a counter begins with', ({ expressions }) => {
    // Of a pace, the first event says nothing.
    const counting = expressions.filter((text) => /increase\(|_bucket/.test(text));
    expect(counting).not.toEqual([]);
    for (const text of counting) {
      expect(text).not.toMatch(/\brate\(/);
      for (const [, metric = ''] of text.matchAll(/increase\((\w+)/g)) {
        expect(text).toContain(` unless ${metric} offset $__rate_interval) or increase(${metric}`);
      }
    }
  });

  it.each(dashboards())('$title never adds up what every process counts alike', (board) => {
    const sums = board.expressions.filter((text) => {
      return /sum[^(]*\((?:rate\()?backstep_(tasks_live|lock_tickets|queue_messages)/.test(text);
    });
    expect(sums).toEqual([]);
  });
});

it('the Prometheus of docker-compose.yml asks every process that always runs', () => {
  const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, { image: string; profiles?: string[] }>;
  };
  const always = Object.entries(services).filter(([, { image, profiles }]) => {
    return image === 'backstep:local' && profiles === undefined;
  });
  const { scrape_configs: jobs } = parse(monitoringText('prometheus.yml')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  expect(jobs).toHaveLength(1);
  expect(jobs[0]?.job_name).toBe('backstep');
  const targets = jobs[0]?.static_configs.flatMap((config) => config.targets);
  expect(targets?.toSorted()).toEqual(always.map(([name]) => `${name}:7070`).toSorted());
});

it('a job for Prometheus names the type of its credential, which discovery sends as it is', () => {
  const pages = ['docs/run-distributed.md', 'docs/observability.md', 'monitoring/prometheus.yml'];
  for (const page of pages) {
    const [, ...given] = readFileSync(page, 'utf8').split('authorization: {');
    expect([page, given.length > 0]).toEqual([page, true]);
    for (const members of given) expect(members.trim()).toMatch(/^type: Bearer, /);
  }
});
