import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashPoint } from '#libs/platform';
import type { Installation } from '../environment/installation.js';
import { eventually } from '../environment/patience.js';
import { crashDuring } from '../environment/restart.js';
import { checkRest } from '../environment/traffic.js';
import { holds } from '../environment/broken.js';
import { type InstallationHarness, type InstallationScenario } from '../scenario.js';

const NAMES = 2_000;
const GONE = 100;
/** Crash points, each with the pass at which it kills: of the stage, or of one of the 64 parts. */
const POINTS = {
  'import.before-commit': 40,
  'import.after-commit': 20,
} satisfies Partial<Record<CrashPoint, number>>;
const LIMIT_MS = 120_000;
/** Ends the leases of dead processes at once. */
const HURRY = `update corpus.job_lease set lease_until = '-infinity' where job = 'corpus-imports'`;

export const crashImportsRow: InstallationScenario = {
  name: `crash ${Object.keys(POINTS).join(', ')}`,
  fault: 'kill -9 of corpus at each step of an import, each with its own zone file',
  expectation:
    'up again within 5 s; the import continues by itself: every name is counted once, and missing names are dropped once',
  run: async (harness) => {
    const startedAt = performance.now();
    for (const [point, passes] of Object.entries(POINTS)) {
      await crashAt(harness, point as CrashPoint, passes);
    }
    await checkRest(harness, { outageMs: performance.now() - startedAt });
  },
};

async function crashAt(
  harness: InstallationHarness,
  point: CrashPoint,
  passes: number,
): Promise<void> {
  const { installation } = harness;
  const zone = point.replaceAll(/[^a-z]/g, '');
  const days = {
    '20260105': zoneOf(zone, 1, [0, NAMES]),
    '20260106': zoneOf(zone, 2, [GONE, NAMES + GONE]),
  };
  const crash = { point, passes, hurry: HURRY };
  const found = await crashDuring(installation.process('corpus'), harness, crash, async () => {
    await addZone(installation, { source: zone, zone, days });
    return eventually(
      `the import of ${zone}`,
      async () => {
        const [row] = await installation.sql<Found>(FOUND, [zone]);
        return row.loaded === 2 && row;
      },
      LIMIT_MS,
    );
  });
  holds(found.names === NAMES + GONE, `${point}: ${found.names} names exist`);
  holds(found.registered === NAMES, `${point}: ${found.registered} names are registered`);
  holds(found.fresh === GONE, `${point}: ${found.fresh} names are new`);
  holds(found.dropped === GONE, `${point}: ${found.dropped} names are dropped`);
  holds(found.counted === NAMES + GONE, `${point}: ${found.counted} names are counted`);
}

/** The zone files of a new source. */
interface ImportedZone {
  source: string;
  zone: string;
  days: Readonly<Record<string, string>>;
  isLookedUp?: boolean;
}

interface Found {
  loaded: number;
  names: number;
  registered: number;
  fresh: number;
  dropped: number;
  counted: number;
}

const FOUND = `
  select (select count(*)::int from corpus.import_file f join corpus.source s on s.id = f.source_id
      where s.name = $1 and f.state = 'loaded') as loaded,
    (select count(*)::int from corpus.domain where name like '%.' || $1) as names,
    (select count(*)::int from corpus.domain where name like '%.' || $1 and dropped_at is null) as registered,
    (select count(*)::int from corpus.change_event where name like '%.' || $1 and kind = 'new') as fresh,
    (select count(*)::int from corpus.change_event where name like '%.' || $1 and kind = 'dropped') as dropped,
    (select names::int from corpus.tld_names where tld = $1) as counted`;

/**
 * Starts the import of zone files.
 * @param days their texts by date.
 */
export async function addZone(
  installation: Installation,
  { source, zone, days, isLookedUp = false }: ImportedZone,
): Promise<void> {
  const place = join(installation.folder, source);
  mkdirSync(place);
  for (const [day, text] of Object.entries(days)) {
    writeFileSync(join(place, `${zone}-${day}.zone`), text);
  }
  await installation.sql(
    `insert into corpus.source (id, name, kind, is_shown, is_sold, is_looked_up, created_at, location, due_at)
     select max(id) + 1, $1, 'zone', true, true, $3, now(), $2, now() from corpus.source`,
    [source, place, isLookedUp],
  );
}

/** A zone with the names `<word>-<number>`. */
export function zoneOf(
  zone: string,
  serial: number,
  [from, to]: [number, number],
  word = 'name',
): string {
  const soa = `${zone}.\t900\tin\tsoa\tns1.nic.${zone}. host.${zone}. ${serial} 1800 900 604800 86400`;
  const names = Array.from(
    { length: to - from },
    (_, place) => `${word}-${from + place}.${zone}.\t3600\tin\tns\tns1.example.net.`,
  );
  return `${[soa, ...names].join('\n')}\n`;
}
