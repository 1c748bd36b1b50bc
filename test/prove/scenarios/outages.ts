import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import { fillDisk, freeDisk, fullDiskMissing } from '../../faults/full-disk.js';
import { eventually, holds } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

/** A part of the installation that does not work for a while. Afterwards, everything recovers automatically. */
interface Outage extends Pick<Scenario, 'name' | 'missing'> {
  begin(harness: Harness): unknown;
  /** The duration of the outage; by default, that of the harness. */
  lastsMs?: number;
  meanwhile?(harness: Harness): Promise<void>;
  end(harness: Harness): unknown;
  isSteady?(harness: Harness): boolean;
}

const SETTLE_MS = 2_000;
/** The times for which a slow broker is paused and runs, in turn. */
const SLOW = { stillMs: 250, runsMs: 60 };
const CUTS = ['database', 'account', 'entitlement', 'broker'] as const;

type Part = (harness: Harness) => ClusterProcess;
const broker: Part = ({ installation }) => installation.cluster.broker as ClusterProcess;
const postgres: Part = ({ installation }) => installation.cluster.postgres;
const service =
  (name: string): Part =>
  ({ installation }) =>
    installation.process(name);

const startAgain = (part: Part) => (harness: Harness) =>
  eventually(`${part(harness).name} to start`, async () => {
    await part(harness).start();
    return true;
  });
const killed = (name: string, part: Part, how: NodeJS.Signals, lastsMs?: number): Outage => ({
  name,
  lastsMs,
  begin: (harness) => part(harness).kill(how),
  end: startAgain(part),
});
const paused = (name: string, part: Part): Outage => ({
  name,
  begin: (harness) => part(harness).kill('SIGSTOP'),
  end: (harness) => part(harness).kill('SIGCONT'),
});

/** The bytes of a connection are held, and then the connection is reset. */
const cut = (cable: `gateway-${(typeof CUTS)[number]}`): Outage => ({
  name: `cut ${cable}`,
  // Cached records can be used for 60 s without the change feeds, which is longer than a short cut. While entitlement
  // is cut off, leases may run out.
  isSteady: ({ isLong }) => cable !== 'gateway-entitlement' && !isLong,
  begin: ({ installation }) => installation.cables[cable].stall(),
  end: async ({ installation }) => {
    installation.cables[cable].reset();
    await installation.cables[cable].heal();
  },
});

/** The broker accepts connections, but answers only at intervals. */
const slowBroker: Outage = {
  ...paused('broker slow', broker),
  lastsMs: 0,
  meanwhile: async (harness) => {
    const until = performance.now() + harness.pauseMs;
    while (performance.now() < until) {
      await sleep(SLOW.stillMs);
      broker(harness).kill('SIGCONT');
      await sleep(SLOW.runsMs);
      broker(harness).kill('SIGSTOP');
    }
  },
};

/** A commit that cannot be written ends every session, and recovery fails until there is free space. */
const fullDisk: Outage = {
  name: 'full disk of postgres',
  missing: fullDiskMissing,
  begin: async (harness) => {
    await fillDisk(postgres(harness).pid);
    const probe = await harness.installation
      .sql('create table full_disk ()')
      .catch(() => undefined);
    holds(probe === undefined, 'a table was written although the disk was full');
  },
  end: async (harness) => {
    await freeDisk(postgres(harness).pid);
    await startAgain(postgres)(harness);
  },
};

async function outlast(harness: Harness, outage: Outage): Promise<void> {
  const { begin, lastsMs = harness.pauseMs, meanwhile, end, isSteady } = outage;
  await underTraffic(harness, { isSteady: isSteady?.(harness) }, async () => {
    const startedAt = performance.now();
    try {
      await begin(harness);
      await sleep(lastsMs);
      await meanwhile?.(harness);
    } finally {
      await end(harness);
    }
    const outageMs = performance.now() - startedAt;
    harness.worst('away ms', outageMs);
    await sleep(SETTLE_MS);
    return { outageMs };
  });
}

/** A suspended relay's buckets are taken over. Events that it sends afterwards are dropped as duplicates. */
async function pauseRelayOwner(harness: Harness): Promise<void> {
  const { installation } = harness;
  const second = installation.further('account', 'account-2', { ACCOUNT_PORT: '0' });
  await second.start();
  const meanwhile = async () => {
    const leases = await installation.sql(
      'select from account.outbox_bucket where lease_until > clock_timestamp()',
    );
    holds(leases.length > 0, 'the buckets of the paused relay were not taken over');
  };
  try {
    await outlast(harness, { ...paused('', service('account')), meanwhile });
    const [known] = installation.regulars;
    await eventually('account to answer', async () => (await known.state()) === 'active');
    const customer = await installation.regular(10);
    await customer.lookUpAny();
  } finally {
    await second.stop();
  }
}

const OUTAGES = [
  paused('pause consumer', service('entitlement')),
  paused('pause gateway', service('gateway-1')),
  killed('broker down 1 s', broker, 'SIGKILL', 1_000),
  killed('broker down', broker, 'SIGKILL'),
  paused('broker silent', broker),
  slowBroker,
  killed('postgres immediate stop', postgres, 'SIGQUIT', 2_000),
  killed('postgres kill postmaster', postgres, 'SIGKILL', 1_000),
  killed('postgres away', postgres, 'SIGINT'),
  ...CUTS.map((server) => cut(`gateway-${server}`)),
  fullDisk,
];

/** The credits of every accepted payment are granted once, at the latest when the outage is over. */
export const outageRows: Scenario[] = [
  { name: 'pause relay owner', run: pauseRelayOwner },
  ...OUTAGES.map((outage) => ({
    name: outage.name,
    missing: outage.missing,
    run: (harness: Harness) => outlast(harness, outage),
  })),
];
