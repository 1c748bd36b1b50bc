import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { checkRest } from '../environment/traffic.js';

const LIMIT = 60;
/** Two gateways receive requests at more than three times the limit. */
const PER_SECOND = 18;
const SECONDS = 12;

const valkey = ({ installation }: InstallationHarness) =>
  installation.cluster.valkey as ClusterProcess;

export const counterRows: InstallationScenario[] = [
  counterRow('valkey killed', 'kill -9 of Valkey in the middle of a minute', async (harness) => {
    valkey(harness).kill('SIGKILL');
    return async () => valkey(harness).start();
  }),
  counterRow('valkey slow', 'every answer of Valkey is 200 ms late', async (harness) => {
    const { valkey: cable } = harness.installation.cables;
    cable.delay(200);
    return async () => cable.heal();
  }),
  counterRow('valkey silent', 'Valkey accepts connections but does not answer', async (harness) => {
    const { valkey: cable } = harness.installation.cables;
    cable.stall();
    return async () => cable.heal();
  }),
  counterRow('valkey flushed', 'Valkey forgets every count', async (harness) => {
    await flush(valkey(harness).url);
    return async () => {};
  }),
];

function counterRow(
  name: string,
  fault: string,
  strike: (harness: InstallationHarness) => Promise<() => Promise<void>>,
): InstallationScenario {
  return {
    name,
    fault,
    expectation: 'at most twice the limit within the minute of the fault, never unlimited',
    isWaiting: true,
    run: async (harness) => limitHolds(harness, strike),
  };
}

/** One customer sends several times the limit through both gateways, with the fault in the middle. */
async function limitHolds(
  harness: InstallationHarness,
  strike: (harness: InstallationHarness) => Promise<() => Promise<void>>,
): Promise<void> {
  const { installation } = harness;
  const customer = await installation.regular(10_000, LIMIT);
  const load = installation.load(PER_SECOND, installation.apiOrigins, [customer]);
  await sleep((SECONDS / 4) * 1000);
  const before = load.answered;
  const mend = await strike(harness);
  await sleep(((3 * SECONDS) / 4) * 1000);
  const counts = await load.stop();
  await mend();
  harness.count('asked', PER_SECOND * SECONDS);
  harness.count('limit', LIMIT);
  harness.count('admitted before', before);
  harness.count('admitted in all', counts.answered);
  const refused = counts.refused.rate_limited ?? 0;
  harness.count('refused rate_limited', refused);
  holds(counts.answered <= 2 * LIMIT, `${counts.answered} requests passed a limit of ${LIMIT}`);
  holds(refused > 0, 'nothing was refused, so the limit was not reached');
  await checkRest(harness);
}

async function flush(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('FLUSHALL\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  holds(answer.toString().startsWith('+OK'), `FLUSHALL was answered ${answer.toString()}`);
}
