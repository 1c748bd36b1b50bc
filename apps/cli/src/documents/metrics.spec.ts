import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { declaredMetrics } from '#libs/platform';
import '../declared.js';

interface Rules {
  groups: {
    name: string;
    rules: { alert: string; expr: string; annotations: Record<string, string> }[];
  }[];
}

const KEYWORDS = ['by', 'for', 'max', 'min', 'sum', 'rate', 'increase', 'and', 'or'];
const metrics = declaredMetrics();

describe('metrics', () => {
  it('every alert asks for metrics and labels that exist, and says what to do', () => {
    const { groups } = load(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as Rules;
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, expr, annotations } of rules) {
      expect(Object.keys(annotations)).toEqual(['summary', 'action']);
      for (const [page] of annotations.action.matchAll(/docs\/[\w/-]+\.md/g)) {
        expect([page, existsSync(page)]).toEqual([page, true]);
      }
      const bare = expr.replaceAll(/"[^"]*"/g, '');
      const words = [...bare.matchAll(/[a-z_]+/gi)].map(([word]) => word);
      const named = metrics.filter(({ name }) => words.includes(name));
      expect([alert, named.length]).not.toEqual([alert, 0]);
      const known = [...named.flatMap(({ name, labels }) => [name, ...labels]), ...KEYWORDS, 'm'];
      expect([alert, words.filter((word) => !known.includes(word))]).toEqual([alert, []]);
    }
  });

  it('S8: names follow the conventions, and no label is for what has no end of values', () => {
    for (const { name, type, labels, about } of metrics) {
      expect(name).toMatch(/^dds_[a-z]+(_[a-z]+)+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
      expect(about).toMatch(/\.$/);
      for (const label of labels)
        expect(label).not.toMatch(/key|account|address|domain|_id|url|ip$/);
    }
  });
});
