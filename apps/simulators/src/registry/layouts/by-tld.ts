import { at, cz, pl, ru } from './central-europe.js';
import { thickRegistry, thinRegistry } from './icann.js';
import type { Layout } from './layout.js';
import { dk, fi, no, se } from './northern-europe.js';
import { au, br, ca, jp } from './other-continents.js';
import { be, ch, de, eu, fr, it, nl, uk } from './western-europe.js';

const LAYOUTS: Record<string, Layout> = {
  ...sharedBy(thinRegistry, 'com', 'net', 'cc', 'tv', 'jobs', 'name'),
  ...sharedBy(fr, 'fr', 're', 'pm', 'tf', 'wf', 'yt'),
  ...sharedBy(ch, 'ch', 'li'),
  ...sharedBy(se, 'se', 'nu'),
  ...sharedBy(ru, 'ru', 'su', 'xn--p1ai'),
  at,
  au,
  be,
  br,
  ca,
  cz,
  de,
  dk,
  eu,
  fi,
  it,
  jp,
  nl,
  no,
  pl,
  uk,
};

/**
 * Returns the registry's layout for a top-level domain; domains without a layout of their own use the thick ICANN
 * layout.
 */
export function registryLayout(tld: string): Layout {
  return Object.hasOwn(LAYOUTS, tld) ? LAYOUTS[tld]! : thickRegistry;
}

/** True if the registry keeps no contacts, so that its registrars must be queried. */
export function isThin(tld: string): boolean {
  return registryLayout(tld) === thinRegistry;
}

/** True if the top-level domain's registrars serve their own answers, as under an ICANN contract. */
export function hasRegistrarHop(tld: string): boolean {
  return [thinRegistry, thickRegistry].includes(registryLayout(tld));
}

function sharedBy(layout: Layout, ...tlds: string[]): Record<string, Layout> {
  return Object.fromEntries(tlds.map((tld) => [tld, layout]));
}
