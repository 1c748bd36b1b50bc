import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DatabaseConfig } from '#libs/database';
import { loadConfig, settingsOf } from '#libs/platform';
import { SERVICES } from '../../apps/services.js';
import { Chart, type Resource, componentOf, workloadsOf } from './chart.js';
import { CHART_VALUES } from './chart-values.js';
import { composeServices } from './compose-plan.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';

/** The time limit is long, because the tools are built first if this machine does not have them. */
jest.setTimeout(1_900_000);

const APART = 5;
const SURGING = ['account', 'corpus'];

describe('declared connections of services', () => {
  const sum = (pools: readonly (string | number)[], sizes: Record<string, number>) =>
    pools.reduce(
      (total: number, pool) => total + (typeof pool === 'string' ? (sizes[pool] ?? NaN) : pool),
      0,
    );
  const usual = {
    DATABASE_POOL_SIZE: 10,
    DATABASE_MAINTENANCE_POOL_SIZE: 10,
    CORPUS_SEARCHES: 8,
  };

  it('exist for each service with a schema, and use settings that the service reads', () => {
    for (const { name, config, migrations, connections = [] } of SERVICES) {
      expect([name, connections.length > 0]).toEqual([name, migrations !== undefined]);
      const read = settingsOf(config).map(({ env }) => env);
      const pools = connections.filter((pool) => typeof pool === 'string');
      expect([name, pools.filter((pool) => !read.includes(pool))]).toEqual([name, []]);
    }
  });

  it.each(['1', '201', 'ten', ''])('the pool size %j is rejected, unless it is empty', (size) => {
    const settings = { SERVICE_SECRET: 'x'.repeat(40), DATABASE_POOL_SIZE: size };
    const poolSize = () => loadConfig(DatabaseConfig, settings).poolSize;
    if (size === '') expect(poolSize()).toBe(10);
    else expect(poolSize).toThrow(/DATABASE_POOL_SIZE/);
  });

  it('equal the numbers in the sizing guide', () => {
    const guide = readFileSync('docs/operations/sizing.md', 'utf8');
    const chosen = { DATABASE_POOL_SIZE: 4, DATABASE_MAINTENANCE_POOL_SIZE: 3, CORPUS_SEARCHES: 3 };
    for (const { name, connections } of SERVICES) {
      if (connections === undefined) continue;
      const row = guide
        .split('\n')
        .find((line) => new RegExp(`^\\| ${name} +\\| .* \\| .* \\| `).test(line));
      const cells = row?.split('|').map((cell) => cell.trim()) ?? [];
      expect([name, ...cells.slice(3, 5)]).toEqual([
        name,
        String(sum(connections, usual)),
        String(sum(connections, chosen)),
      ]);
    }
  });

  it('fit the server of the compose file, which runs two gateways', () => {
    const containers = Object.entries(composeServices());
    const isOf = (name: string) => (one: string) => one === name || one.startsWith(`${name}-`);
    const all = SERVICES.reduce((total, { name, connections = [] }) => {
      const count = containers.filter(([one]) => isOf(name)(one)).length;
      return total + count * sum(connections, usual);
    }, 0);
    const { command } = composeServices().postgres;
    const [, max] = /max_connections=(\d+)/.exec(String(command)) ?? [];
    expect([all, Number(max) >= all + APART]).toEqual([124, true]);
  });
});

(chartToolsAvailability() === undefined ? describe : describe.skip)(
  'connections of an installation',
  () => {
    let chart: Chart;

    beforeAll(async () => {
      chart = new Chart((await chartTools()).helm);
    });

    const sumOf = (resources: Resource[]) =>
      workloadsOf(resources).reduce((total, workload) => {
        const name = componentOf(workload);
        const { connections = [] } = SERVICES.find((one) => one.name === name) ?? {};
        const [container] = workload.spec.template.spec.containers;
        const valueOf = (env: string) =>
          Number(container?.env.find((one) => one.name === env)?.value);
        const each = connections.reduce(
          (sum: number, pool) => sum + (typeof pool === 'string' ? valueOf(pool) : pool),
          0,
        );
        const pods = (workload.spec.replicas ?? NaN) + (SURGING.includes(name) ? 1 : 0);
        return each === 0 ? total : total + pods * each;
      }, APART);

    it('number at most 100 with the default values, and a server that accepts one fewer is rejected', async () => {
      const values = CHART_VALUES.defaults as string[];
      const sum = sumOf(await chart.render(values));
      expect(sum).toBeLessThanOrEqual(100);
      expect(await chart.refusal(values, `postgresql.maxConnections=${sum}`)).toBe('');
      const refusal = await chart.refusal(values, `postgresql.maxConnections=${sum - 1}`);
      expect(refusal).toContain(
        `postgresql.maxConnections is ${sum - 1}, but up to ${sum} connections would be opened`,
      );
    });

    it('are counted at the maximum number of pods, with a separate count for each separate database', async () => {
      const values = CHART_VALUES['all on'] as string[];
      const refusal = await chart.refusal(values, 'postgresql.maxConnections=50');
      expect(refusal).toContain('entitlement 9 x 8');
      expect(refusal).not.toContain('gateway 8 x 8');
      expect(
        await chart.refusal(values, 'services.gateway.ownDatabase.maxConnections=60'),
      ).toContain(
        'services.gateway.ownDatabase.maxConnections is 60, but up to 69 connections would be opened',
      );
      expect(await chart.refusal(values, 'postgresql.maxConnections=0')).toBe('');
    });

    it('are limited to `postgresql.maxConnections` by the PostgreSQL that the chart installs', async () => {
      const resources = await chart.render(
        CHART_VALUES['brought along'] as string[],
        'postgresql.maxConnections=250',
      );
      const cluster = resources.find(({ kind }) => kind === 'Cluster');
      expect(cluster?.spec.postgresql).toMatchObject({ parameters: { max_connections: '250' } });
    });
  },
);
