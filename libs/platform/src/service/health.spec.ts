import { expect, it } from '@jest/globals';
import { Metrics } from '../telemetry/metrics.js';
import { Health, type HealthCheck, addReadiness } from './health.js';

it('a process is reported as ready until an essential dependency fails, whatever optional ones do', async () => {
  const readyWith = async (...checks: HealthCheck[]) => {
    const [metrics, health] = [new Metrics({ process: false }), new Health()];
    addReadiness(metrics, health, 'account');
    for (const check of checks) health.add(check);
    return /^dds_service_ready\{service="account"\} (\d)$/m.exec(await metrics.text())?.[1];
  };
  const fails = () => Promise.reject(new Error('away'));
  const optional = [
    { name: 'mail', isOptional: true, check: fails },
    { name: 'files', isOptional: true, check: () => new Promise<void>(() => {}) },
  ];
  const database = { name: 'database', check: fails };
  const all = [readyWith(), readyWith(...optional), readyWith(...optional, database)];
  expect(await Promise.all(all)).toEqual(['1', '1', '0']);
});

it('S104: simultaneous callers share the checks of dependencies, and the next caller causes new ones', async () => {
  const health = new Health();
  let checks = 0;
  health.add({ name: 'database', check: async () => void checks++ });
  await Promise.all([health.readiness(), health.readiness(), health.readiness()]);
  expect(checks).toBe(1);
  await health.readiness();
  expect(checks).toBe(2);
});
