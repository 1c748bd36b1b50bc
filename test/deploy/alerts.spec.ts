import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { ALERT_CASES } from './alert-cases.js';
import { alertFaults, promtoolAvailability } from './promtool.js';

const RULES = 'deploy/prometheus/alerts.yml';
const PAGES = 'docs/operations/alerts';

interface Rules {
  groups: { rules: { alert?: string; annotations?: Record<string, string> }[] }[];
}

const { groups } = load(readFileSync(RULES, 'utf8')) as Rules;
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
const names = alerts.map(({ alert }) => alert as string);

describe('alerts', () => {
  it('each has a page that says what to look at and what to do, and a test case', () => {
    for (const { alert, annotations } of alerts) {
      const page = `${PAGES}/${alert}.md`;
      expect([alert, annotations?.runbook]).toEqual([alert, page]);
      expect([page, existsSync(page)]).toEqual([page, true]);
      expect(readFileSync(page, 'utf8')).toMatch(
        new RegExp(`^# ${alert}\\n[^]+\\n## Look first\\n[^]+\\n## Do\\n`),
      );
    }
    const pages = readdirSync(PAGES).filter((page) => page !== 'README.md');
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort());
    expect(Object.keys(ALERT_CASES).sort()).toEqual([...names].sort());
  });

  (promtoolAvailability() === undefined ? it : it.skip)(
    'each fires above its threshold and not at it',
    () => {
      expect(alertFaults(RULES, ALERT_CASES)).toBe('');
    },
  );
});
