import type { Observation } from '../records/observation.js';
import { observationOf, parsedLine } from '../observations/observation-lines.js';

export interface NameTile {
  /** The names in the certificates of the tile, each only once. */
  observations: Observation[];
  bad: number;
}

/**
 * Reads the names in certificates from a names tile: one JSON line for each certificate of a log that implements the
 * names tiles extension of the Static CT API.
 * @param from the first entry that counts. @param to the entry after the last one.
 * @returns undefined if the tile has fewer entries.
 */
export function readNameTile(
  text: string,
  { from, to }: { from: number; to: number },
): NameTile | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length < to) return undefined;
  const seen = new Map<string, number>();
  let bad = 0;
  for (const line of lines.slice(from, to)) {
    const { Timestamp, Subject, DNS } = parsedLine(line);
    const common = (Subject as { CommonName?: unknown } | null | undefined)?.CommonName;
    const names = [...(Array.isArray(DNS) ? (DNS as unknown[]) : []), common];
    if (typeof Timestamp !== 'number') bad += 1;
    else {
      for (const name of names) {
        if (typeof name !== 'string' || !name.includes('.')) continue;
        const known = seen.get(name);
        if (known === undefined || known < Timestamp) seen.set(name, Timestamp);
      }
    }
  }
  const observations = [...seen].flatMap(([name, atMs]) => {
    const at = atMs / 1000;
    const observation =
      observationOf({ kind: 'host', name, at }) ?? observationOf({ kind: 'listed', name, at });
    return observation ? [observation] : [];
  });
  return { observations, bad };
}
