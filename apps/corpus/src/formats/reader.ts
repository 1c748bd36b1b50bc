import { DAY_MS } from '#libs/platform';
import type { Observation } from '../records/observation.js';
import { observationOfText } from '../observations/observation-lines.js';
import { fileName } from '../names/registrable-name.js';
import type { FiledName } from '../names/registrable-name.js';
import type { ReadLine } from './read-line.js';
import { passiveObservations } from './passive-dns.js';
import { WhoisCsvReader } from './whois-csv.js';

/** Kinds of sources whose files list only names. */
const LIST_KINDS = ['names', 'zone'] as const;
/** Kinds of sources whose lines are observations. */
const LINE_KINDS = ['whois_csv', 'pdns', 'jsonl'] as const;
const OTHER_KINDS = ['blocklist', 'ct'] as const;
export const IMPORT_KINDS = [...LIST_KINDS, ...LINE_KINDS, ...OTHER_KINDS] as const;
export type LineKind = (typeof LINE_KINDS)[number];
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Reads the registrable name in a line of a list of names; text after a space, a comma, `;` or `#` is ignored. */
export function listedName(line: string): ReadLine<FiledName> {
  const [text] = line.trim().split(/[\s,;#]/, 1);
  if (text === '') return 'nothing';
  return fileName(text.replace(/^"|"$/g, '')) ?? 'bad';
}

/** Returns the latest acceptable time of an observation: a day from now, because clocks differ. */
export const latestSeen = (now: Date) => now.getTime() + DAY_MS;

/**
 * Returns a reader for the lines of one file, in order. A line with an observation more than a day in the future counts
 * as faulty; otherwise, no later observation would be newer. @param at when the file was created.
 */
export function observationReader(
  kind: LineKind,
  { at, now }: { at: Date; now: Date },
): (line: string) => ReadLine<readonly Observation[]> {
  const read = lineReader(kind, at);
  const latest = latestSeen(now);
  const seenAt = (one: Observation) => (one.kind === 'passive' ? one.until : one.at);
  return (line) => {
    const found = read(line);
    if (found === 'nothing' || found === 'bad') return found;
    const all = Array.isArray(found) ? (found as Observation[]) : [found as Observation];
    const isFaulty = all.length === 0 || all.some((one) => seenAt(one).getTime() > latest);
    return isFaulty ? 'bad' : all;
  };
}

function lineReader(
  kind: LineKind,
  at: Date,
): (line: string) => ReadLine<Observation | Observation[]> {
  switch (kind) {
    case 'whois_csv': {
      const reader = new WhoisCsvReader(at);
      return (line) => reader.read(line);
    }
    case 'pdns':
      return (line) => (line === '' ? 'nothing' : passiveObservations(line));
    case 'jsonl':
      return (line) => (line === '' ? 'nothing' : (observationOfText(line) ?? 'bad'));
  }
}
