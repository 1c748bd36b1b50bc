import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';

/** Series in promtool's notation, by name and labels: `0+10x120` stands for 0, 10, 20 …, one value per minute. */
export type Series = Record<string, string>;

/** The data for testing an alert: series with which it must fire, and series with which it must not. */
export interface AlertCase {
  fires: Series;
  silent: Series;
  /** When the rule is evaluated; by default, two hours after the first values. */
  at?: string;
}

/** @returns undefined if rules can be tested on this machine, and otherwise the reason why not. */
export function promtoolAvailability(): string | undefined {
  const { status } = spawnSync('promtool', ['--version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'no promtool on this machine';
}

interface RuleGroups {
  groups: { name: string; rules: { alert?: string }[] }[];
}

/**
 * Runs `promtool test rules` on both halves of each case. The other alerts are left out, because they would be
 * evaluated for each case as well.
 * @returns promtool's output about the cases that fail, or an empty string if all pass.
 */
export function alertFaults(rules: string, cases: Record<string, AlertCase>): string {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const { groups } = load(readFileSync(rules, 'utf8')) as RuleGroups;
  try {
    const files = Object.entries(cases).map(([alert, { at = '2h', ...halves }]) => {
      const own = groups.map(({ name, rules: all }) => ({
        name,
        rules: all.filter((rule) => (rule.alert ?? alert) === alert),
      }));
      const [ruleFile, testFile] = ['rules', 'tests'].map((of) =>
        join(folder, `${alert}-${of}.yml`),
      );
      writeFileSync(ruleFile, dump({ groups: own }));
      const tests = (['fires', 'silent'] as const).map((half) => ({
        name: `${alert} ${half}`,
        interval: '1m',
        input_series: Object.entries(halves[half]).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
            eval_time: at,
            exp_samples: half === 'fires' ? [{ labels: '{}', value: 1 }] : [],
          },
        ],
      }));
      writeFileSync(testFile, dump({ rule_files: [ruleFile], evaluation_interval: '5m', tests }));
      return testFile;
    });
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...files]);
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
