import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import { type InstallationRow, type Stage, holds } from '../row.js';
import { checkRest } from '../world/traffic.js';

const LIMIT = 60;
/** Two gateways are asked at more than three times the limit. */
const PER_SECOND = 18;
const SECONDS = 12;

const valkey = ({ installation }: Stage) => installation.cluster.valkey as ClusterProcess;

export const counterRows: InstallationRow[] = [
  counterRow('valkey killed', 'kill -9 of Valkey in the middle of a minute', async (stage) => {
    valkey(stage).kill('SIGKILL');
    return async () => valkey(stage).start();
  }),
  counterRow('valkey slow', 'every answer of Valkey is 200 ms late', async (stage) => {
    const { valkey: cable } = stage.installation.cables;
    cable.delay(200);
    return async () => cable.heal();
  }),
  counterRow('valkey silent', 'Valkey accepts and says nothing', async (stage) => {
    const { valkey: cable } = stage.installation.cables;
    cable.stall();
    return async () => cable.heal();
  }),
  counterRow('valkey flushed', 'Valkey forgets every count', async (stage) => {
    await flush(valkey(stage).url);
    return async () => {};
  }),
];

function counterRow(
  name: string,
  fault: string,
  strike: (stage: Stage) => Promise<() => Promise<void>>,
): InstallationRow {
  return {
    name,
    fault,
    expectation: 'within the minute of the fault at most twice the limit, never unlimited',
    isWaiting: true,
    run: async (stage) => limitHolds(stage, strike),
  };
}

/** One customer at several times the limit over both gateways, the fault in the middle. */
async function limitHolds(
  stage: Stage,
  strike: (stage: Stage) => Promise<() => Promise<void>>,
): Promise<void> {
  const { installation } = stage;
  const customer = await installation.regular(10_000, LIMIT);
  const load = installation.load(PER_SECOND, installation.apiOrigins, [customer]);
  await sleep((SECONDS / 4) * 1000);
  const before = load.answered;
  const mend = await strike(stage);
  await sleep(((3 * SECONDS) / 4) * 1000);
  const counts = await load.stop();
  await mend();
  stage.count('asked', PER_SECOND * SECONDS);
  stage.count('limit', LIMIT);
  stage.count('admitted before', before);
  stage.count('admitted in all', counts.answered);
  const refused = counts.refused.rate_limited ?? 0;
  stage.count('refused rate_limited', refused);
  holds(counts.answered <= 2 * LIMIT, `${counts.answered} requests passed a limit of ${LIMIT}`);
  holds(refused > 0, 'nothing was refused: the limit was not reached');
  await checkRest(stage);
}

async function flush(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('FLUSHALL\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  holds(answer.toString().startsWith('+OK'), `FLUSHALL was answered ${answer.toString()}`);
}
