import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '#libs/database';
import type { InstallationScenario, InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { killAndRestart } from '../environment/restart.js';
import { underTraffic } from '../environment/traffic.js';

/** The roll-up runs once a minute. */
const ROLL_UP_LIMIT_MS = 130_000;

export const rollUpRow: InstallationScenario = {
  name: 'roll-up locked',
  fault:
    'the request log and its hourly counts are locked for 10 s (60 s with --long); a gateway is killed',
  expectation: 'lookups continue, the gateway is up again within 5 s, and each row is counted once',
  isWaiting: true,
  run: rollUpLocked,
};

async function rollUpLocked(harness: InstallationHarness): Promise<void> {
  const { installation, pauseMs } = harness;
  const gateway = installation.process('gateway-2');
  const killedAt: number[] = [];
  await underTraffic(harness, { paymentsPerSecond: 0 }, async () => {
    await withClient(installation.cluster.settings.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(`lock gateway.request_log, gateway.request_hours, gateway.counted_requests
        in access exclusive mode`);
      const lockedAt = performance.now();
      killedAt.push(await killAndRestart(gateway, harness));
      await sleep(Math.max(0, pauseMs - (performance.now() - lockedAt)));
      await client.query('rollback');
    });
    return { gatewayKillsAt: killedAt };
  });
  await eventually(
    'every row to be counted once',
    async () => {
      const [{ logged, counted }] = await installation.sql<{ logged: number; counted: number }>(
        `select (select count(*)::int from gateway.request_log) as logged,
           (select coalesce(sum(requests), 0)::int from gateway.request_hours) as counted`,
      );
      if (logged === counted) return true;
      throw new Error(`${logged} rows, but ${counted} counted`);
    },
    ROLL_UP_LIMIT_MS,
  );
}
