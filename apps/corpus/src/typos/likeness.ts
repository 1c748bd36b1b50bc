import type { TypoReason } from '#libs/contracts';
import { distanceOf, looseSkeletonOf } from '#libs/domain-names';
import { SUFFIXES, WORDS } from './permutation-tables.js';

export interface ReadName {
  /** The label in its own script. */
  label: string;
  suffix: string;
}

/** How easily a name is mistaken for another one, from 0 to 100. */
export interface Likeness {
  score: number;
  reasons: TypoReason[];
}

export interface LikenessEvidence {
  isNew?: boolean;
  takesMail?: boolean;
}

/** Points by the number of letters that differ; look-alike letters count as equal. */
const BY_DISTANCE: readonly [points: number, reason: TypoReason][] = [
  [95, 'looks_the_same'],
  [80, 'one_letter_off'],
  [60, 'two_letters_off'],
  [40, 'three_letters_off'],
];
const CONTAINED = 65;
/**
 * The minimum length of a label that is searched for within other labels. A shorter label occurs in many of them by
 * chance, unless it is a part between hyphens or next to a deceptive word.
 */
const CONTAINED_LENGTH_MIN = 4;
const PART_LENGTH_MIN = 2;
const BESIDE = new Set([...WORDS, ...SUFFIXES].map(looseSkeletonOf));
const SAME_LABEL = 70;
/**
 * A label shorter than this gets fewer points, because it differs from too many others by only a
 * letter or two.
 */
const USUAL_LENGTH = 6;
const EVIDENCE_POINTS = 5;

/**
 * Scores how easily `other` is mistaken for `own`. The age and the mail servers of `other` (`evidence`) add points only
 * if the names are alike.
 */
export function likenessOf(own: ReadName, other: ReadName, evidence: LikenessEvidence): Likeness {
  const [points, reason] = lettersOf(own, other);
  if (reason === undefined) return { score: 0, reasons: [] };
  const found: [boolean | undefined, TypoReason][] = [
    [evidence.isNew, 'new_within_30_days'],
    [evidence.takesMail, 'takes_mail'],
  ];
  const reasons = found.flatMap(([is, one]) => (is ? [one] : []));
  const score = Math.min(100, Math.round(points) + EVIDENCE_POINTS * reasons.length);
  return { score, reasons: [reason, ...reasons] };
}

function lettersOf(own: ReadName, other: ReadName): [points: number, reason?: TypoReason] {
  if (own.label === other.label) {
    return own.suffix === other.suffix ? [0] : [SAME_LABEL, 'other_suffix'];
  }
  const [a, b] = [looseSkeletonOf(own.label), looseSkeletonOf(other.label)];
  const weight = Math.min(1, [...a].length / USUAL_LENGTH);
  const distance = distanceOf(a, b);
  if (distance === 0) return BY_DISTANCE[0] as [number, TypoReason];
  const [points, reason] = BY_DISTANCE[distance] ?? [0, undefined];
  // At most a third of the letters may differ.
  const isNear = distance * 3 <= Math.max(a.length, b.length);
  const byLetters: [number, TypoReason?] = isNear ? [points * weight, reason] : [0];
  return byLetters[0] < CONTAINED && isIn(a, b) ? [CONTAINED, 'contains_name'] : byLetters;
}

/** True if people recognise one label in another: `dhl` in `dhl-parcels` and `dhlsecure`, but not in `handhlung`. */
function isIn(label: string, other: string): boolean {
  if (label.length >= CONTAINED_LENGTH_MIN) return other.includes(label);
  if (label.length < PART_LENGTH_MIN) return false;
  if (`-${other}-`.includes(`-${label}-`)) return true;
  return (
    (other.startsWith(label) && BESIDE.has(other.slice(label.length))) ||
    (other.endsWith(label) && BESIDE.has(other.slice(0, -label.length)))
  );
}
