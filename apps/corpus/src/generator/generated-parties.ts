import type { Members } from '../records/registration.js';
import type { SeededRandom } from './seeded-random.js';

export const REGISTRARS: readonly Members[] = [
  ['9901', 'Northgate Domains, Inc.', 'northgate'],
  ['9902', 'Papaya Names Ltd.', 'papaya-names'],
  ['9903', 'Harbour Registrar GmbH', 'harbour'],
  ['9904', 'Simply Registered LLC', 'simply-registered'],
  ['9905', 'Domain Orchard B.V.', 'orchard'],
  ['9906', 'Blue Ox Internet AB', 'blue-ox'],
  ['9907', 'Registro Sol S.L.', 'registro-sol'],
  ['9908', 'First Street Hosting Co.', 'first-street'],
].map(([iana_id, registrar_name, host]) => ({
  iana_id,
  registrar_name,
  whois_server: `whois.${host}.example`,
  website_url: `https://www.${host}.example`,
  email_address: `abuse@${host}.example`,
  phone_number: `+1.555010${iana_id.slice(2)}`,
}));

export interface Provider {
  nameServers: string[];
  mail: string[];
  /** The first three octets of the provider's addresses, in the benchmark network (RFC 2544), which is not routed. */
  networks: string[];
  sender: string;
}

export const PROVIDERS: readonly Provider[] = [
  'parkside-hosting',
  'cirrus-cloud',
  'webfarm',
  'stackhost',
  'hostmeadow',
  'pagesmith',
  'bitbarn',
  'serverlane',
  'quayside',
  'nimbus-sites',
].map((host, place) => ({
  nameServers: [`ns1.${host}.example`, `ns2.${host}.example`],
  mail: [`10 mx1.${host}.example`, `20 mx2.${host}.example`],
  networks: Array.from({ length: 4 }, (_, part) => `198.${18 + (place % 2)}.${place * 8 + part}`),
  sender: `v=spf1 include:spf.${host}.example ~all`,
}));

const FIRST_NAMES =
  'Amara Anna Ben Björn Carla Chen Clara Daniel David Elena Emil Fatima Felix Greta Hana Ines Ivan Jamal Jana Jonas Julia Kenji Lars Laura Leo Lina Lucas María Maya Milan Mina Nadia Nils Noah Nora Olga Omar Otto Paula Pedro Priya Rosa Samir Sara Sofia Tariq Theo Vera Viktor Yuki Zoë'.split(
    ' ',
  );
const LAST_NAMES =
  'Abbott Alvarez Andersson Baker Bauer Becker Bianchi Brandt Castillo Chandra Clarke Costa Dubois Ekström Eriksen Farouk Fischer Fontaine Garcia Gupta Haas Hansen Hughes Ibrahim Ivanova Jansen Jensen Kaiser Keller Kim Kowalski Larsen Lehmann Lindqvist López Marino Meyer Moreau Müller Nakamura Novak Okafor Olsen Patel Petrov Quinn Ramos Rossi Santos Sato Schmidt Silva Singh Tanaka Torres Ueda Vargas Vogel Wagner Weber Wong Yamada Young Zhang Zimmermann'.split(
    ' ',
  );
const CITIES: readonly [city: string, state: string, code: string, country: string][] = [
  ['Springfield', 'CA', 'US', 'United States'],
  ['Riverton', 'NY', 'US', 'United States'],
  ['Neustadt', 'BY', 'DE', 'Germany'],
  ['Villeneuve', 'IDF', 'FR', 'France'],
  ['Ashford', 'KEN', 'GB', 'United Kingdom'],
  ['Lindholm', 'AB', 'SE', 'Sweden'],
  ['Santa Clara', 'M', 'ES', 'Spain'],
  ['Utrecht', 'UT', 'NL', 'Netherlands'],
];
const COMPANY_ENDINGS = ['Ltd', 'GmbH', 'Inc.', 'B.V.', 'S.L.', 'AB', '& Sons', 'Holdings'];

/** The number of owners; some have many names, and some have one. */
const OWNERS = 30_000;

/** Draws the number of the person or company that holds a name, so that a few hold many. */
export function generatedOwner(random: SeededRandom): number {
  return Math.floor(random.next() ** 3 * OWNERS);
}

/** Returns the published data of an owner. @param random the random numbers of the owner, not of the name. */
export function contactOf(owner: number, random: SeededRandom): Members {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  const [city, state, country_code, country_name] = random.pick(CITIES);
  const company = random.isLikely(0.6) ? `${last} ${random.pick(COMPANY_ENDINGS)}` : undefined;
  const mailbox = `${first}.${last}`
    .normalize('NFD')
    .replace(/[^A-Za-z.]/g, '')
    .toLowerCase();
  return {
    name: `${first} ${last}`,
    ...(company !== undefined && { company }),
    street: `${1 + random.below(200)} ${random.pick(LAST_NAMES)} Street`,
    city,
    state,
    zip_code: String(10_000 + random.below(89_999)),
    country_name,
    country_code,
    email_address: `${mailbox}${owner}@mail-${owner % 40}.example`,
    phone: `+1.5550${String(100_000 + (owner % 899_999))}`,
  };
}

/** Returns the members of a contact that are published when personal data is withheld. */
export function withheldContact({ state, country_name, country_code }: Members): Members {
  return { state, country_name, country_code };
}

export const WITHHELD_MEMBERS = [
  'name',
  'company',
  'street',
  'city',
  'zip_code',
  'email_address',
  'phone',
];
