import type { MatchReason, MonitorRule } from '#libs/contracts';
import { looseSkeletonOf } from '#libs/domain-names';
import { NearWords } from './near-words.js';
import { type FoundWord, WordFinder } from './word-finder.js';

/** A registrable name, prepared for comparison. */
export interface SoughtName {
  /** A-labels. */
  name: string;
  /** The label before the suffix, in its own script. */
  label: string;
  suffix: string;
}

export interface BrandHit {
  place: number;
  reason: MatchReason;
}

/** @param unicode the name in its Unicode form. */
export function soughtName(name: string, unicode: string): SoughtName {
  return {
    name,
    label: unicode.slice(0, unicode.indexOf('.')).normalize('NFC').toLowerCase(),
    suffix: name.slice(name.indexOf('.') + 1),
  };
}

/** The compiled rules of brand monitors. A name is compared once with all of them. */
export class BrandMatcher {
  private readonly words: WordFinder;
  private readonly looks: WordFinder;
  private readonly near: NearWords;
  /** For each word in `near`, the indexes of the rules that have it. */
  private readonly sharing: readonly number[][];
  /** The indexes of the rules that also match similar names. */
  private readonly typed: readonly number[];
  private readonly own: readonly ReadonlySet<string>[];

  constructor(private readonly rules: readonly MonitorRule[]) {
    this.words = new WordFinder(rules.map(({ keyword }) => keyword!));
    this.typed = rules.flatMap(({ with_typos }, place) => (with_typos ? [place] : []));
    const looks = this.typed.map((place) => looseSkeletonOf(rules[place].keyword!));
    this.looks = new WordFinder(looks);
    const sharing = Map.groupBy(this.typed, (_, at) => looks[at]);
    this.near = new NearWords([...sharing.keys()]);
    this.sharing = [...sharing.values()];
    this.own = rules.map(({ own_domains = [] }) => new Set(own_domains));
  }

  /** Returns each matching rule once, with the simplest reason. */
  match(sought: SoughtName): BrandHit[] {
    const { label } = sought;
    const reasons = new Map<number, MatchReason>();
    const add = (place: number, reason: MatchReason) => {
      if (!reasons.has(place)) reasons.set(place, reason);
    };
    for (const found of this.words.find(label)) {
      if (this.isPlaced(found.place, found, label.length)) add(found.place, 'keyword');
    }
    if (this.typed.length > 0) this.matchLikenesses(label, add);
    return [...reasons]
      .filter(([place]) => this.isWanted(place, sought))
      .map(([place, reason]) => ({ place, reason }));
  }

  private matchLikenesses(label: string, add: (place: number, reason: MatchReason) => void): void {
    const look = looseSkeletonOf(label);
    for (const found of this.looks.find(look)) {
      const place = this.typed[found.place];
      if (this.isPlaced(place, found, look.length)) add(place, 'looks_alike');
    }
    for (const place of this.placesNear(look)) add(place, 'typo');
    if (!look.includes('-')) return;
    for (const place of look.split('-').flatMap((part) => this.placesNear(part))) {
      if (this.rules[place].match === 'contains') add(place, 'typo');
    }
  }

  private placesNear(text: string): number[] {
    return this.near.find(text).flatMap((at) => this.sharing[at]);
  }

  private isPlaced(place: number, { from, to }: FoundWord, length: number): boolean {
    const { match } = this.rules[place];
    const isAtBegin = from === 0 || match === 'contains' || match === 'suffix';
    const isAtEnd = to === length || match === 'contains' || match === 'prefix';
    return isAtBegin && isAtEnd;
  }

  private isWanted(place: number, { name, label, suffix }: SoughtName): boolean {
    const { include = [], exclude = [], tlds = [] } = this.rules[place];
    return (
      !this.own[place].has(name) &&
      include.every((word) => label.includes(word)) &&
      !exclude.some((word) => label.includes(word)) &&
      isUnder(tlds, suffix)
    );
  }
}

/** Whether a suffix is in a list, or ends with one of its items. An empty list matches every suffix. */
export function isUnder(tlds: readonly string[], suffix: string): boolean {
  return tlds.length === 0 || tlds.some((tld) => suffix === tld || suffix.endsWith(`.${tld}`));
}
