import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../environment/installation.js';

/** The zone files of a new source. */
interface ImportedZone {
  source: string;
  zone: string;
  days: Readonly<Record<string, string>>;
  isLookedUp?: boolean;
}

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
