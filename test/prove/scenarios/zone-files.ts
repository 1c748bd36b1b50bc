import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../environment/installation.js';

interface ImportedZone {
  zone: string;
  /** A word for the new names, which are `<word>-<number>`. */
  word: string;
  count: number;
  isLookedUp?: boolean;
}

/** Starts the import of a new source with two zone files, because the names in its first file do not count as new. */
export async function addZone(
  installation: Installation,
  { zone, word, count, isLookedUp = false }: ImportedZone,
): Promise<void> {
  const source = `${zone}-${word}`;
  const place = join(installation.folder, source);
  mkdirSync(place);
  const found = Array.from({ length: count }, (_, n) => `${word}-${n}`);
  for (const [day, names] of Object.entries({ '20260105': ['known'], '20260106': found })) {
    const lines = [
      `${zone}.\t900\tin\tsoa\tns1.nic.${zone}. host.${zone}. ${day} 1800 900 604800 86400`,
      ...names.map((name) => `${name}.${zone}.\t3600\tin\tns\tns1.example.net.`),
    ];
    writeFileSync(join(place, `${zone}-${day}.zone`), `${lines.join('\n')}\n`);
  }
  await installation.sql(
    `insert into corpus.source (id, name, kind, is_shown, is_sold, is_looked_up, created_at, location, due_at)
     select max(id) + 1, $1, 'zone', true, true, $3, now(), $2, now() from corpus.source`,
    [source, place, isLookedUp],
  );
}
