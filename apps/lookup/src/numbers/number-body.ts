import type { AsnWhoisAnswer, IpWhoisAnswer, NumberSection, PrefixRouting } from '#libs/contracts';
import { type Cidr, blocksOfRange } from '#libs/domain-names';
import type { DateValue, NetworkContact, NumberBlock, NumberLookup } from '#libs/resolvers';
import type { Serving } from '../serializers/provenance-body.js';
import { provenanceBody } from '../serializers/provenance-body.js';
import { addressBody, type Json, present, queryTime } from '../serializers/whois-body.js';
import type { DelegatedNumbers } from './delegated-numbers.js';
import type { RoutingFeed } from './routing-feed.js';

/** The maximum number of listed routes, of address blocks, and of neighbours of each kind. */
const LISTED_MAX = 1_000;
const NO_ROUTING_FEED = 'No routing feed is loaded, so routes and peers are unknown.';
const NO_PREFIXES = 'No feed of prefixes and their origins is loaded.';
const NO_DELEGATED_FILES =
  "No files of the registries are loaded, so the holder's address blocks are unknown.";

export interface Told {
  serving: Serving;
  sections: ReadonlySet<NumberSection>;
}

export interface AddressOrigin {
  routing: PrefixRouting;
  asns: readonly number[];
  from?: 'registry' | 'routing_feed';
  /** The registration of the first origin; undefined if it was not found, or is not needed. */
  registration?: NumberLookup;
}

/**
 * Returns the origin of an address according to the registry or, if the registry does not publish it, according to the
 * feed.
 */
export function originOf(ip: Cidr, { block }: NumberLookup, feed: RoutingFeed): AddressOrigin {
  const found = feed.hasRoutes ? feed.prefixOf(ip) : undefined;
  const routing: PrefixRouting = feed.hasRoutes
    ? {
        is_loaded: true,
        ...(found && { prefix: found.prefix, origin_as_numbers: found.origins.map(asText) }),
      }
    : { is_loaded: false, reason: NO_PREFIXES };
  const registered = block?.originAsns ?? [];
  if (registered.length > 0) return { routing, asns: registered, from: 'registry' };
  return found ? { routing, asns: found.origins, from: 'routing_feed' } : { routing, asns: [] };
}

/** Returns the members of an answer about an address or block; the gateway adds `meta`. */
export function ipBody(
  asked: string,
  lookup: NumberLookup,
  origin: AddressOrigin,
  told: Told,
): Json {
  const { block } = lookup;
  const answer: Partial<IpWhoisAnswer> = {
    status: true,
    ip_address: asked,
    ...commonOf(lookup),
    inet_nums: block === undefined ? [] : [addressBlock(block)],
    origin_as_numbers: origin.asns.map(asText),
    ...present({ origin_as_from: origin.from, isp: providerOf(lookup, origin) }),
    routing: origin.routing,
    ...contactsOf(block),
  };
  return { ...answer, ...sectionsOf(lookup, told) };
}

export function asnBody(
  asn: number,
  { feed, delegated }: { feed: RoutingFeed; delegated: DelegatedNumbers },
  lookup: NumberLookup,
  told: Told,
): Json {
  const { block } = lookup;
  const answer: Partial<AsnWhoisAnswer> = {
    status: true,
    as_number: `AS${asn}`,
    ...commonOf(lookup),
    ...present({
      as_name: block?.name,
      as_handle: block?.handle,
      country_code: block?.countryCode,
      date_created: dayOf(block?.created),
      date_updated: dayOf(block?.updated),
    }),
    description: block?.descriptions ?? [],
    allocation_blocks: block ? [{ start_as: `AS${block.start}`, end_as: `AS${block.end}` }] : [],
    ...contactsOf(block),
    ...allocationsOf(asn, delegated),
    ...routingOf(asn, feed),
  };
  return { ...answer, ...sectionsOf(lookup, told) };
}

/**
 * Returns the holder that the registration of the origin names or, without one, the holder of the block; undefined if
 * neither is known.
 */
function providerOf({ block }: NumberLookup, origin: AddressOrigin): IpWhoisAnswer['isp'] {
  const name = holderName(origin.registration?.block);
  if (name !== undefined) {
    return { name, as_number: asText(origin.asns[0]), found_in: 'as_registration' };
  }
  const holder = holderName(block);
  return holder === undefined ? undefined : { name: holder, found_in: 'block_registration' };
}

function holderName(block: NumberBlock | undefined): string | undefined {
  const holder = block?.contacts.find(({ roles }) => roles.includes('registrant'));
  return holder?.organization ?? holder?.name ?? block?.descriptions.find(isName) ?? block?.name;
}

/** True for a description that may be a name: neither a rule nor a reference, such as `Geofeed https://…`. */
const isName = (line: string): boolean => /\p{L}{2}/u.test(line) && !line.includes('://');

/**
 * Returns the data from the registries' files. The answer distinguishes files that are not loaded from files without an
 * entry.
 */
function allocationsOf(
  asn: number,
  delegated: DelegatedNumbers,
): Pick<AsnWhoisAnswer, 'allocations' | 'address_blocks'> {
  if (!delegated.isLoaded) return { allocations: { is_loaded: false, reason: NO_DELEGATED_FILES } };
  const blocks = delegated.blocksOf(asn) ?? [];
  return {
    allocations: { is_loaded: true, block_count: blocks.length },
    address_blocks: blocks.slice(0, LISTED_MAX),
  };
}

/** Returns the feed's data. The answer distinguishes a feed that is not loaded from a feed without an entry. */
function routingOf(
  asn: number,
  feed: RoutingFeed,
): Pick<AsnWhoisAnswer, 'routing' | 'routes' | 'upstreams' | 'downstreams' | 'peers'> {
  if (!feed.isLoaded) return { routing: { is_loaded: false, reason: NO_ROUTING_FEED } };
  const { routes, upstreams, downstreams, peers } = feed.of(asn);
  const named = (asns: readonly number[]) => asns.slice(0, LISTED_MAX).map(asText);
  return {
    routing: {
      is_loaded: true,
      ...(feed.hasRoutes && { route_count: routes.length }),
      ...(feed.hasRelations && {
        relation_count: upstreams.length + downstreams.length + peers.length,
      }),
    },
    ...(feed.hasRoutes && { routes: routes.slice(0, LISTED_MAX) }),
    ...(feed.hasRelations && {
      upstreams: named(upstreams),
      downstreams: named(downstreams),
      peers: named(peers),
    }),
  };
}

function commonOf({ outcome, registry, sources, fetchedAt }: NumberLookup) {
  return {
    query_time: queryTime(fetchedAt),
    ...(registry !== undefined && { registry }),
    whois_server: sources.at(-1)?.server,
    allocated: outcome === 'not_registered' ? ('no' as const) : ('yes' as const),
  };
}

function addressBlock(block: NumberBlock) {
  return {
    start_ip: block.start,
    end_ip: block.end,
    cidr: blocksOfRange(block.start, block.end),
    ...present({
      net_name: block.name,
      net_handle: block.handle,
      parent_handle: block.parentHandle,
      type: block.type,
      country_code: block.countryCode,
      geofeed: block.geofeedUrl,
      date_created: dayOf(block.created),
      date_updated: dayOf(block.updated),
    }),
    description: block.descriptions,
  };
}

function contactsOf(block: NumberBlock | undefined): Json {
  if (block === undefined) return {};
  const withRole = (role: string) =>
    block.contacts.filter(({ roles }) => roles.includes(role)).map(contactBody);
  return present({
    organization: withRole('registrant')[0],
    administrative_contacts: withRole('administrative'),
    technical_contacts: withRole('technical'),
    abuse_contacts: block.abuseContacts.map(({ email, foundIn }) => ({ email, found_in: foundIn })),
  });
}

function contactBody(contact: NetworkContact): Json {
  return {
    ...present({
      handle: contact.handle,
      name: contact.name,
      company: contact.organization,
      ...addressBody(contact),
      country_code: contact.countryCode,
    }),
    email: contact.emails,
    phone: contact.phones,
  };
}

function sectionsOf(lookup: NumberLookup, { serving, sections }: Told): Json {
  const raw = lookup.sources.find(
    ({ outcome, raw: text }) => outcome === lookup.outcome && text,
  )?.raw;
  return present({
    whois_raw_response: sections.has('raw') ? raw : undefined,
    provenance: sections.has('provenance') ? provenanceBody(lookup, serving) : undefined,
  });
}

const asText = (asn: number) => `AS${asn}`;

function dayOf(date: DateValue | undefined): string | undefined {
  return date?.iso.slice(0, 10);
}
