import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '#test/environment';
import { type BenchRow, atMost, percentile } from '../bench.js';
import type { FigureOptions } from '../cluster.bench.js';
import { GATEWAYS, BenchCluster } from './bench-cluster.js';

const POLL_MS = 10;
const GIVE_UP_MS = 60_000;

/** From the answer to a key's revocation until the last of three gateways refuses it. */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const field = await BenchCluster.open();
  await field.setLimit('live', 1_000_000);
  await field.setLimit('keys', 1_000);
  await field.grant(1_000_000);
  const withBroker = await latencies(field, isShort ? 10 : 50);
  await field.cluster.broker!.stop();
  process.stderr.write('    the broker is off\n');
  const without = await latencies(field, isShort ? 5 : 15);
  return [
    row('revocation → every gateway refuses, p99', withBroker, 1_000),
    row('revocation with the broker off, p99', without, 5_000),
  ];
}

function row(what: string, values: number[], most: number): BenchRow {
  return { ...atMost(what, percentile(values, 0.99), most, 'ms'), median: percentile(values, 0.5) };
}

async function latencies(field: BenchCluster, count: number): Promise<number[]> {
  const values: number[] = [];
  for (let n = 0; n < count; n++) {
    const { id, apiKey } = await field.createKey();
    const statuses = async () =>
      Promise.all(
        Array.from({ length: GATEWAYS }, async (_, gateway) => {
          return (await field.fleet.ask(gateway, apiKey)).status;
        }),
      );
    const works = async () => (await statuses()).every((status) => status === 200);
    await waitFor('the key at every gateway', works, GIVE_UP_MS);
    await field.revokeKey(id);
    const revokedMs = performance.now();
    while ((await statuses()).some((status) => status === 200)) {
      if (performance.now() - revokedMs > GIVE_UP_MS) throw new Error('a revoked key lives on');
      await sleep(POLL_MS);
    }
    values.push(performance.now() - revokedMs);
  }
  return values;
}
