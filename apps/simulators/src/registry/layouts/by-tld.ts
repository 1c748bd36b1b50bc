import { thickRegistry, thinRegistry } from './icann.js';
import { jp } from './japan.js';
import type { Layout } from './layout.js';
import { ch, de, fr, it, uk } from './western-europe.js';

/** The layouts besides ICANN's thick one, one of each kind; the parser's own specs cover those of other registries. */
const LAYOUTS: Record<string, Layout> = {
  ...sharedBy(thinRegistry, 'com', 'net', 'cc', 'tv', 'jobs', 'name'),
  ...sharedBy(fr, 'fr', 're', 'pm', 'tf', 'wf', 'yt'),
  ...sharedBy(ch, 'ch', 'li'),
  de,
  it,
  jp,
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
