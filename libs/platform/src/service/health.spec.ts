import { expect, it } from '@jest/globals';
import { Metrics } from '../telemetry/metrics.js';
import { Health, addReadiness } from './health.js';

it('a process is reported as ready until an essential dependency fails, whatever optional ones do', async () => {
  const metrics = new Metrics({ process: false });
  const health = new Health();
  addReadiness(metrics, health, 'account');
  const ready = async () =>
    /^dds_service_ready\{service="account"\} (\d)$/m.exec(await metrics.text())?.[1];
  const fails = () => Promise.reject(new Error('away'));
  expect(await ready()).toBe('1');
  health.add({ name: 'mail', isOptional: true, check: fails });
  expect(await ready()).toBe('1');
  health.add({ name: 'files', isOptional: true, check: () => new Promise(() => {}) });
  expect(await ready()).toBe('1');
  health.add({ name: 'database', check: fails });
  expect(await ready()).toBe('0');
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
