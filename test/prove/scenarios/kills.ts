import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, InstallationHarness } from '../scenario.js';
import { killAndRestart } from '../environment/restart.js';
import { underTraffic } from '../environment/traffic.js';
import { SESSION_MS } from './crash-points.js';

const SERVICES = ['account', 'entitlement', 'lookup', 'gateway-1'];
const KILLS = 2;
/** The longest pause between two kills of one process. */
const PAUSE_MAX_MS = 1_500;

export const killRows: Scenario[] = SERVICES.map((name) => ({
  name: `kill ${name}`,
  fault: `kill -9 of ${name} at random moments under load`,
  expectation:
    'up again within 5 s; no event is later than 12 s after the last kill, or 20 s if the broker had not admitted the process before it' +
    (name === 'account' ? '; known keys keep working' : ''),
  run: async (harness) => killAtRandom(harness, name),
}));

async function killAtRandom(harness: InstallationHarness, name: string): Promise<void> {
  const { installation, random, isLong } = harness;
  const process = installation.process(name);
  await underTraffic(harness, { isSteady: name === 'account' }, async () => {
    const killedAt: number[] = [];
    for (let n = 0; n < (isLong ? 5 * KILLS : KILLS); n++) {
      await sleep(random.between(100, PAUSE_MAX_MS));
      killedAt.push(await killAndRestart(process, harness));
    }
    const span = killedAt.at(-1)! - killedAt[0];
    // The broker notices all members that died while joining as soon as it notices the first.
    const outageMs = span + SESSION_MS;
    return { gatewayKillsAt: name.startsWith('gateway') ? killedAt : [], outageMs };
  });
}
