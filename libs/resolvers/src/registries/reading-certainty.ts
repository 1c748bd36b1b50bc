import { hasGrammar } from '../whois/parse/grammars/grammars.js';
import { sisterOf } from '../whois/parse/grammars/sister-tlds.js';
import type { Route } from './registries.js';

/**
 * How reliably a registry's port-43 answer is read. `known`: with a grammar of its own, and measured on recorded
 * answers. `recorded`: with the general rules, and measured. `by_system`: not measured, but in the layout of registries
 * whose answers are. `untested`: never seen.
 */
export type ReadingCertainty = 'known' | 'recorded' | 'by_system' | 'untested';

/** The service that answers for a top-level domain, and how reliably its answer is read. */
export interface TldCertainty {
  tld: string;
  /** The protocol that is queried first; absent if there is none. */
  protocol?: 'rdap' | 'whois43';
  /** Whether port 43 is queried if RDAP fails. */
  hasFallback: boolean;
  /** The certainty on port 43, if port 43 is queried at all; RDAP is the same everywhere (RFC 9083). */
  whoisReading?: ReadingCertainty;
  /** Why no server is queried; absent if one is. */
  reason?: string;
}

/** Top-level domains for which the parser is measured on the registry's recorded answers about registered names. */
const RECORDED = new Set(
  (
    'ac ae af africa ag ai am ao ar army art as asia at attorney au ax baby band be bg bi bike biz bj bm bn bo br ' +
    'bw by bz ca cafe cam capetown cat cc cd cf ch ci cl cm cn co college cologne com coop cr cx cz de degree ' +
    'dentist design dk dm do dog durban dz earth edu ee engineer es eu fi film fj fm fo fr gay gd gg gi gives gl ' +
    'gov group gs gy hk hm hn hr ht hu icu id ie il im in info int io iq ir is it je jewelry jobs joburg jp ke kg ' +
    'ki kids koeln kr kw kz la lawyer lc li live lk llc loan lt ltd lu lv ly ma market md me mg mk mn mo mobi ' +
    'mortgage ms mu museum mx my mz na name navy nc net news nf ng nl no nu nz om org page pe pl plus pm post pr ' +
    'pro promo ps pt pw qa re rehab ren republican rip ro rs ru rw sa sale sb sc se sg sh si sk sl sm sn so ' +
    'software space st studio su sx sy tattoo tc team tech tel tf tg th tk tl tm tn to tours tr travel tube tv tw ' +
    'tz ua ug uk us uy uz vc ve vet vg video vip wf ws xin xn--p1ai xn--ses554g xxx xyz yt za zm'
  ).split(' '),
);

/**
 * Top-level domains of which no answer was recorded, but whose registries run the same system as others. Each comment
 * names the system, and the top-level domains whose recorded answers have the same layout.
 */
const BY_SYSTEM = new Set([
  // IANA's own server: .int
  'arpa',
  // SIDN's system: .nl
  'aw',
  // JWhoisServer: .dz, .tg, .tn
  'gf',
  'gp',
  'mq',
  // CoCCA: .af, .cx, .ki and others
  'kn',
  // FRED: .cr, .cz, .mk, .tz
  'mw',
]);

/** Returns the service that answers for a route's top-level domain, and how reliably its answer is read. */
export function certaintyOf({ tld, rdapBaseUrl, whoisServer, reason }: Route): TldCertainty {
  const hasRdap = rdapBaseUrl !== undefined;
  const hasWhois = whoisServer !== undefined;
  return {
    tld,
    ...(hasRdap ? { protocol: 'rdap' } : hasWhois ? { protocol: 'whois43' } : {}),
    hasFallback: hasRdap && hasWhois,
    ...(hasWhois ? { whoisReading: readingOf(tld) } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function readingOf(tld: string): ReadingCertainty {
  if (RECORDED.has(tld)) return hasGrammar(tld) ? 'known' : 'recorded';
  const sister = sisterOf(tld);
  if (sister !== undefined) return RECORDED.has(sister) ? 'by_system' : 'untested';
  return BY_SYSTEM.has(tld) || isGeneric(tld) ? 'by_system' : 'untested';
}

/**
 * True for a generic top-level domain. Registries under contract with ICANN use one layout (Registration Data Policy,
 * 2025).
 */
function isGeneric(tld: string): boolean {
  return tld.length > 2 && !COUNTRIES_IN_SCRIPTS.has(tld) && tld !== 'arpa';
}

/** Country top-level domains in their own script that have no sibling with a known layout. */
const COUNTRIES_IN_SCRIPTS = new Set([
  'xn--54b7fta0cc',
  'xn--j1amh',
  'xn--mgbai9azgqp6j',
  'xn--mgbayh7gpa',
  'xn--mgbc0a9azcg',
  'xn--mgbcpq6gpa1a',
  'xn--mgbpl2fh',
  'xn--node',
  'xn--wgbh1c',
]);
