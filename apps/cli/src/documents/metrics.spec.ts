import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { declaredMetrics } from '#libs/platform';
import { SERVICES } from '../declared.js';
import { grafanaDashboards } from './dashboards.js';

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: Record<string, string>;
}

interface Grafana {
  panels: { targets: { expr: string }[] }[];
}

const KEYWORDS =
  'by and or on unless bool offset m h d max min sum count rate increase time vector last_over_time min_over_time histogram_quantile'.split(
    ' ',
  );
/** Metrics and labels of other programs: Prometheus, the kubelet's volumes, cert-manager's certificates. */
const FOREIGN = [
  'up',
  'instance',
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'persistentvolumeclaim',
  'certmanager_certificate_renewal_timestamp_seconds',
  'name',
];
for (const service of SERVICES) await service.load();
/** The product's metrics, without those (`test_…`) that another spec in the same worker declares. */
const metrics = declaredMetrics().filter(({ name }) => !name.startsWith('test_'));
const { groups } = load(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** Lists the words of a query that do not name an existing metric, label, function or recording rule. */
function unknownWords(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/dds:[a-z_]+:[a-z_0-9]+/g, (record) =>
      rules.some((rule) => rule.record === record) ? '' : record,
    );
  const words = [...bare.matchAll(/[a-z_]+/gi)].map(([word]) => word);
  const known = metrics.flatMap(({ name, type, labels }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, 'le', ...labels] : [name, ...labels],
  );
  return words.filter((word) => ![...known, ...KEYWORDS, ...FOREIGN].includes(word));
}

describe('metrics', () => {
  it('every rule uses existing metrics and labels, and every alert names a remedy', () => {
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, record, expr, annotations } of rules) {
      expect([alert ?? record, unknownWords(expr)]).toEqual([alert ?? record, []]);
      if (!annotations) continue;
      expect(Object.keys(annotations)).toEqual(['summary', 'action', 'runbook']);
      expect([alert, existsSync(annotations.runbook)]).toEqual([alert, true]);
    }
  });

  it('every panel of a dashboard uses existing metrics and labels', () => {
    for (const [file, text] of grafanaDashboards()) {
      const { panels } = JSON.parse(text) as Grafana;
      expect(panels.length).toBeGreaterThan(3);
      for (const { expr } of panels.flatMap(({ targets }) => targets))
        expect([file, unknownWords(expr)]).toEqual([file, []]);
    }
  });

  it('a query for a missing metric is detected', () => {
    expect(unknownWords('sum(dds_gateway_requests)')).toEqual(['dds_gateway_requests']);
    expect(unknownWords('dds:nobody:records')).not.toEqual([]);
  });

  it('S8: names follow the conventions, and no label is named after a key, an account, an address, a domain, an id or a URL', () => {
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
