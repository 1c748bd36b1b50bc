import { createHash } from 'node:crypto';

/** A complete invented person or company; a layout prints the parts that its registry publishes. */
export interface SimulatedContact {
  handle: string;
  name: string;
  organization: string;
  street: string;
  city: string;
  state: string;
  postalCode: string;
  countryCode: string;
  country: string;
  email: string;
  phone: string;
}

export interface SimulatedRegistrar {
  name: string;
  ianaId: string;
  tag: string;
  /** The registrar's domain. The registrar's servers are `whois.`, `rdap.` and `www.` below it. */
  domain: string;
  abuseEmail: string;
  abusePhone: string;
}

/** The simulated registration of one name, always the same for the same name. */
export interface Registration {
  domain: string;
  tld: string;
  handle: string;
  created: Date;
  updated: Date;
  expires: Date;
  registrar: SimulatedRegistrar;
  registrarWhoisServer: string;
  registrarRdapUrl: string;
  registrant: SimulatedContact;
  technical: SimulatedContact;
  nameServers: string[];
  statuses: string[];
  signed: boolean;
  privacy: 'published' | 'redacted' | 'service';
}

export type Availability = 'registered' | 'free' | 'reserved';

/** Compound names, such as suggestions, which are registered less often than simple names. */
const COMPOUND =
  /^(get|my|try|the|go|use|hello|join|we)-|[a-z](hq|hub|lab|world|group)\.|-(app|online|now|pro|site|co)\./;

/**
 * Decides from a name alone whether the name is registered: `free-…`, `available-…`, `…hq` and most compounds are
 * free, and `reserved-…` is reserved.
 */
export function availabilityOf(domain: string): Availability {
  if (/^(free|available)-|^[^.]+hq\./.test(domain)) return 'free';
  if (COMPOUND.test(domain) && createHash('sha256').update(domain).digest()[0]! % 4 > 0)
    return 'free';
  return domain.startsWith('reserved-') ? 'reserved' : 'registered';
}

/** Derives a registration from the bytes of a hash of its name. */
export function registrationOf(domain: string): Registration {
  const seed = createHash('sha256').update(domain).digest();
  const label = domain.slice(0, domain.indexOf('.'));
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  const created = new Date(
    Date.UTC(
      1998 + pick(seed, 0, 24),
      seed[1]! % 12,
      1 + (seed[2]! % 28),
      seed[3]! % 24,
      seed[4]! % 60,
      seed[5]! % 60,
    ),
  );
  const registrar = REGISTRARS[pick(seed, 12, REGISTRARS.length)]!;
  const expires = new Date(created);
  expires.setUTCFullYear(2028 + pick(seed, 6, 6));
  const updated = new Date(created);
  updated.setUTCFullYear(2024 + pick(seed, 7, 2));
  return {
    domain,
    tld,
    handle: `${1_000_000 + seed.readUInt32BE(8)}_DOMAIN_${tld.toUpperCase()}-SIM`,
    created,
    updated,
    expires,
    registrar,
    registrarWhoisServer: `whois.${registrar.domain}`,
    registrarRdapUrl: `https://rdap.${registrar.domain}/domain/${domain}`,
    registrant: contactOf(label, seed.subarray(13)),
    technical: {
      ...contactOf('hostmaster', seed.subarray(20)),
      organization: 'Example Hosting Services',
    },
    nameServers: ['ns1', 'ns2', 'ns3']
      .slice(0, 2 + pick(seed, 28, 2))
      .map((host) => `${host}.${DNS_HOSTS[pick(seed, 29, DNS_HOSTS.length)]}`),
    statuses: STATUSES[pick(seed, 30, STATUSES.length)]!,
    signed: seed[31]! % 3 === 0,
    privacy: privacyOf(domain, seed),
  };
}

function privacyOf(domain: string, seed: Buffer): Registration['privacy'] {
  if (/(^|-)redacted-/.test(domain)) return 'redacted';
  if (/(^|-)published-/.test(domain)) return 'published';
  if (/(^|-)private-/.test(domain)) return 'service';
  return (['published', 'redacted', 'redacted', 'service'] as const)[pick(seed, 27, 4)]!;
}

function contactOf(label: string, seed: Buffer): SimulatedContact {
  const place = PLACES[pick(seed, 0, PLACES.length)]!;
  const name = `${GIVEN_NAMES[pick(seed, 1, GIVEN_NAMES.length)]} ${FAMILY_NAMES[pick(seed, 2, FAMILY_NAMES.length)]}`;
  return {
    ...place,
    handle: `SIM${seed.readUInt16BE(3)}`,
    name,
    organization: `${capitalised(label)} Example Holdings`,
    street: `${1 + seed[5]!} ${STREETS[pick(seed, 6, STREETS.length)]}`,
    email: `${name.toLowerCase().replace(' ', '.')}@${label.slice(0, 30)}.example`,
    phone: `+1.55501${String(seed.readUInt16BE(3) % 100_000).padStart(5, '0')}`,
  };
}

function pick(seed: Buffer, index: number, choices: number): number {
  return seed[index]! % choices;
}

function capitalised(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const REGISTRARS: SimulatedRegistrar[] = ['One', 'Two', 'Three', 'Four'].map((word, index) => ({
  name: `Example Registrar ${word}, Inc.`,
  ianaId: String(9901 + index),
  tag: `EXAMPLE-${word.toUpperCase()}`,
  domain: `registrar-${word.toLowerCase()}.example`,
  abuseEmail: `abuse@registrar-${word.toLowerCase()}.example`,
  abusePhone: `+1.555010010${index}`,
}));

const DNS_HOSTS = ['dns-one.example', 'dns-two.example', 'parking.example', 'anycast.example'];

const STATUSES = [
  ['clientTransferProhibited'],
  ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
  ['clientTransferProhibited', 'serverTransferProhibited'],
];

const GIVEN_NAMES = ['Alex', 'Billie', 'Charlie', 'Dana', 'Eli', 'Frances', 'Glenn', 'Harper'];
const FAMILY_NAMES = ['Sample', 'Placeholder', 'Specimen', 'Mockford', 'Testerman', 'Fixture'];
const STREETS = ['Example Street', 'Sample Avenue', 'Placeholder Road', 'Specimen Lane'];

const PLACES = [
  {
    city: 'Springfield',
    state: 'CA',
    postalCode: '90001',
    countryCode: 'US',
    country: 'United States',
  },
  {
    city: 'Musterstadt',
    state: 'Hessen',
    postalCode: '60311',
    countryCode: 'DE',
    country: 'Germany',
  },
  {
    city: 'Exampleton',
    state: 'Kent',
    postalCode: 'ME1 1AA',
    countryCode: 'GB',
    country: 'United Kingdom',
  },
  {
    city: 'Villexemple',
    state: 'Rhone',
    postalCode: '69001',
    countryCode: 'FR',
    country: 'France',
  },
  {
    city: 'Voorbeeldstad',
    state: 'Utrecht',
    postalCode: '3511 AA',
    countryCode: 'NL',
    country: 'Netherlands',
  },
  { city: 'Esempio', state: 'PI', postalCode: '56121', countryCode: 'IT', country: 'Italy' },
];
