import { DAY_MS } from '#libs/platform';
import { DNS_TYPES } from '#libs/resolvers';
import { type FiledName, fileName } from '../names/registrable-name.js';
import type { DnsValue, Observation } from '../records/observation.js';
import { type Members, type Registration, registrationOf } from '../records/registration.js';
import { generatedName } from './generated-labels.js';
import {
  PROVIDERS,
  type Provider,
  REGISTRARS,
  WITHHELD_MEMBERS,
  contactOf,
  generatedOwner,
  withheldContact,
} from './generated-parties.js';
import { SeededRandom } from './seeded-random.js';

const YEAR_MS = 365.25 * DAY_MS;
const OLDEST_MS = Date.UTC(1996, 0, 1);
const FIRST_LOOK_MS = Date.UTC(2012, 0, 1);
/** When the GDPR took effect; since then, registrars withhold personal data. */
const WITHHELD_SINCE_MS = Date.UTC(2018, 4, 25);
const LOOKS_MAX = 5;
/** The share of names that were registered within the last week and are in the first files of new names. */
const YOUNG = 0.01;
const YOUNG_DAYS = 5;
const ACTIVE_DAYS = 6;
const HOSTS =
  'mail shop blog api app cdn dev staging portal login support docs status m img static vpn ftp webmail intranet'.split(
    ' ',
  );

interface Holding {
  owner: number;
  registrar: Members;
  provider: Provider;
  address: string;
  isWithheld: boolean;
  isPrivate: boolean;
}

/** Generates all observations of the name with this number. @param today midnight in UTC. */
export function generatedHistory(index: number, seed: number, today: Date): Observation[] {
  const name = fileName(generatedName(index, seed));
  if (!name) return [];
  const random = new SeededRandom(seed, index);
  const isYoung = new SeededRandom(seed, index, 2).isLikely(YOUNG);
  const createdMs = createdAt(random, today.getTime(), isYoung);
  const times = looks(random, createdMs, today.getTime());
  let holding = firstHolding(random);
  const observations: Observation[] = [];
  for (const [place, atMs] of times.entries()) {
    if (place > 0) holding = laterHolding(holding, random);
    const at = new Date(atMs);
    const registration = registrationAt(holding, { seed, createdMs, atMs });
    const given = { registration, answeredBy: '' };
    observations.push({ kind: 'whois', name, at, isComplete: true, ...given });
    observations.push(recordsOf(name, at, holding, random));
  }
  const isDropped = random.isLikely(0.07);
  const lastMs = times.at(-1)!;
  if (isDropped) {
    observations.push({ kind: 'gone', name, at: new Date((lastMs + today.getTime()) / 2) });
  } else {
    observations.push(...hostsOf(name, holding, random, { createdMs: times[0], today }));
  }
  return observations;
}

function createdAt(random: SeededRandom, todayMs: number, isYoung: boolean): number {
  const share = random.next();
  const ageMs = isYoung
    ? (1.5 + share * YOUNG_DAYS) * DAY_MS
    : (todayMs - OLDEST_MS) * share ** 2 + 10 * DAY_MS;
  return Math.floor((todayMs - ageMs) / 1000) * 1000;
}

/** Returns the times of observation: one after the registration, and occasional later ones. */
function looks(random: SeededRandom, createdMs: number, todayMs: number): number[] {
  const fromMs = Math.max(createdMs + DAY_MS, FIRST_LOOK_MS + random.below(900) * DAY_MS);
  if (fromMs >= todayMs) return [Math.min(createdMs + DAY_MS, todayMs - DAY_MS)];
  const count = 1 + random.below(LOOKS_MAX);
  const laterMs = Math.max(0, todayMs - fromMs - DAY_MS);
  const times = Array.from({ length: count }, (_, place) =>
    place === 0 ? fromMs : fromMs + Math.floor(random.next() * laterMs),
  );
  return times.toSorted((a, b) => a - b).map((ms) => Math.floor(ms / 1000) * 1000);
}

function firstHolding(random: SeededRandom): Holding {
  const provider = random.pickSkewed(PROVIDERS);
  return {
    owner: generatedOwner(random),
    registrar: random.pickSkewed(REGISTRARS),
    provider,
    address: addressAt(provider, random),
    isWithheld: random.isLikely(0.85),
    isPrivate: random.isLikely(0.15),
  };
}

function laterHolding(holding: Holding, random: SeededRandom): Holding {
  const provider = random.isLikely(0.25) ? random.pickSkewed(PROVIDERS) : holding.provider;
  const hasMoved = provider !== holding.provider || random.isLikely(0.2);
  return {
    ...holding,
    owner: random.isLikely(0.08) ? generatedOwner(random) : holding.owner,
    registrar: random.isLikely(0.15) ? random.pickSkewed(REGISTRARS) : holding.registrar,
    provider,
    address: hasMoved ? addressAt(provider, random) : holding.address,
  };
}

function addressAt({ networks }: Provider, random: SeededRandom): string {
  return `${random.pickSkewed(networks)}.${1 + Math.floor(random.next() ** 2 * 254)}`;
}

function registrationAt(
  { owner, registrar, provider, isWithheld, isPrivate }: Holding,
  { seed, createdMs, atMs }: { seed: number; createdMs: number; atMs: number },
): Registration {
  const years = Math.floor((atMs - createdMs) / YEAR_MS);
  const updatedMs = createdMs + years * YEAR_MS;
  const expiresMs = createdMs + (years + 1) * YEAR_MS;
  const [created, updated, expires] = [createdMs, updatedMs, expiresMs].map((ms) =>
    new Date(ms).toISOString().replace('.000', ''),
  );
  const published = contactOf(owner, new SeededRandom(seed, owner, 1));
  const isHidden = isWithheld && atMs >= WITHHELD_SINCE_MS;
  const contact = isPrivate ? PROXY : isHidden ? withheldContact(published) : published;
  return registrationOf({
    create_date: created.slice(0, 10),
    update_date: updated.slice(0, 10),
    expiry_date: expires.slice(0, 10),
    dates: { created, updated, expires, expires_published: true },
    domain_registrar: registrar,
    registrant_contact: contact,
    administrative_contact: contact,
    technical_contact: contact,
    name_servers: provider.nameServers,
    domain_status: ['clienttransferprohibited'],
    secure_dns: false,
    ...(isPrivate && { privacy_service: true }),
    ...(isHidden && !isPrivate && { redaction: REDACTION }),
  });
}

const PROXY: Members = {
  name: 'Privacy Officer',
  company: 'Veiled Registrations Ltd.',
  country_code: 'GB',
  country_name: 'United Kingdom',
  email_address: 'contact@veiled-registrations.example',
};
const REDACTION = WITHHELD_MEMBERS.map((member) => ({
  path: `registrant_contact.${member}`,
  state: 'redacted',
  basis: 'text',
}));

const APEX_TYPES = [
  DNS_TYPES.A,
  DNS_TYPES.AAAA,
  DNS_TYPES.NS,
  DNS_TYPES.MX,
  DNS_TYPES.TXT,
  DNS_TYPES.CNAME,
];

function recordsOf(
  name: FiledName,
  at: Date,
  { provider, address }: Holding,
  random: SeededRandom,
): Observation {
  const values: DnsValue[] = [
    { rtype: DNS_TYPES.A, value: address },
    ...provider.nameServers.map((value) => ({ rtype: DNS_TYPES.NS, value })),
    ...provider.mail.map((value) => ({ rtype: DNS_TYPES.MX, value })),
    { rtype: DNS_TYPES.TXT, value: provider.sender },
  ];
  if (random.isLikely(0.4)) {
    const [, second, third, fourth] = address.split('.').map(Number);
    const value = `2001:2:0:${second.toString(16)}:${third.toString(16)}::${fourth.toString(16)}`;
    values.push({ rtype: DNS_TYPES.AAAA, value });
  }
  return { kind: 'dns', name, host: '', at, types: APEX_TYPES, values, isProof: true };
}

/** Returns the hosts that were seen: most of them within the last few days, some longer ago. */
function hostsOf(
  name: FiledName,
  { address }: Holding,
  random: SeededRandom,
  { createdMs, today }: { createdMs: number; today: Date },
): Observation[] {
  const labels = new Set(random.isLikely(0.8) ? ['www'] : []);
  const more = Math.floor(random.next() ** 5 * HOSTS.length);
  for (let count = 0; count < more; count++) labels.add(random.pick(HOSTS));
  if (random.isLikely(0.01)) {
    labels.add('*');
    for (let count = 0; count < 12; count++) labels.add(random.below(2 ** 40).toString(36));
  }
  return [...labels].flatMap((host): Observation[] => {
    const isActive = random.isLikely(0.7);
    const days = isActive ? random.below(ACTIVE_DAYS) : 30 + random.below(900);
    const lastMs = Math.max(createdMs, today.getTime() - days * DAY_MS - random.below(DAY_MS / 2));
    const at = new Date(lastMs);
    const values = [{ rtype: DNS_TYPES.A, value: address }];
    return [
      { kind: 'host', name, host, at: new Date(createdMs), hasResolved: null },
      { kind: 'dns', name, host, at, types: [DNS_TYPES.A], values, isProof: true },
    ];
  });
}
