import type { MonitorRule } from '#libs/contracts';
import { isUnder } from './brand-matcher.js';
import { type PublishedValues, SELECTORS, type Selector, foldedValue } from './published-values.js';
import { WordFinder } from './word-finder.js';

export interface RegistrantHit {
  place: number;
  reason: Selector;
}

interface SoughtValues {
  places: readonly number[];
  finder: WordFinder;
}

/** The compiled rules of registrant monitors. A registration is compared once with all of them. */
export class RegistrantMatcher {
  private readonly sought: Readonly<Record<Selector, SoughtValues>>;

  constructor(private readonly rules: readonly MonitorRule[]) {
    const of = (selector: Selector): SoughtValues => {
      // An empty value, for which the finder would fail, matches nothing.
      const sought = rules
        .map((rule, place) => ({ place, value: foldedValue(rule[selector] ?? '') }))
        .filter(({ value }) => value !== '');
      const finder = new WordFinder(sought.map(({ value }) => value));
      return { places: sought.map(({ place }) => place), finder };
    };
    this.sought = { owner: of('owner'), email: of('email'), company: of('company') };
  }

  /** Returns each rule that matches a published value, once. */
  match(name: string, published: PublishedValues): RegistrantHit[] {
    const hits = new Map<number, RegistrantHit>();
    const suffix = name.slice(name.indexOf('.') + 1);
    for (const reason of SELECTORS) {
      const { places, finder } = this.sought[reason];
      for (const value of published[reason]) {
        const folded = foldedValue(value);
        for (const { place: at, from, to } of finder.find(folded)) {
          const place = places[at];
          const isWhole = from === 0 && to === folded.length;
          if (this.rules[place].exact && !isWhole) continue;
          if (!hits.has(place)) hits.set(place, { place, reason });
        }
      }
    }
    return [...hits.values()].filter(({ place }) => {
      const { own_domains = [], tlds = [] } = this.rules[place];
      return !own_domains.includes(name) && isUnder(tlds, suffix);
    });
  }
}
