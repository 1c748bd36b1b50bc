import type { AsnWhoisAnswer, IpWhoisAnswer, NumberSection } from '#libs/contracts';
import { blocksOfRange } from '#libs/domain-names';
import type { DateValue, NetworkContact, NumberBlock, NumberLookup } from '#libs/resolvers';
import type { Serving } from '../answers/data-answer.js';
import { provenanceBody } from '../serializers/provenance-body.js';
import { addressBody, type Json, present, queryTime } from '../serializers/whois-body.js';
import type { RoutingFeed } from './routing-feed.js';

/** Of routes, and of each kind of neighbours. */
const LISTED_MAX = 1_000;
const NO_ROUTING_FEED = 'No routing feed is loaded, so routes and peers are not known.';

/** Members of an answer about an address or block; `meta` is the gateway's. */
export function ipBody(
  asked: string,
  lookup: NumberLookup,
  serving: Serving,
  sections: ReadonlySet<NumberSection>,
): Json {
  const { block } = lookup;
  const answer: Partial<IpWhoisAnswer> = {
    status: true,
    ip_address: asked,
    ...commonOf(lookup),
    inet_nums: block === undefined ? [] : [addressBlock(block)],
    origin_as_numbers: block?.originAsns.map((asn) => `AS${asn}`) ?? [],
    ...contactsOf(block),
  };
  return { ...answer, ...sectionsOf(lookup, serving, sections) };
}

/** Members of an answer about an AS number. */
export function asnBody(
  asn: number,
  feed: RoutingFeed,
  lookup: NumberLookup,
  serving: Serving,
  sections: ReadonlySet<NumberSection>,
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
    ...routingOf(asn, feed),
  };
  return { ...answer, ...sectionsOf(lookup, serving, sections) };
}

/** The feed's data; "not loaded" differs from "there is none". */
function routingOf(
  asn: number,
  feed: RoutingFeed,
): Pick<AsnWhoisAnswer, 'routing' | 'routes' | 'upstreams' | 'downstreams' | 'peers'> {
  if (!feed.isLoaded) return { routing: { is_loaded: false, reason: NO_ROUTING_FEED } };
  const { routes, upstreams, downstreams, peers } = feed.of(asn);
  const named = (asns: readonly number[]) => asns.slice(0, LISTED_MAX).map((one) => `AS${one}`);
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

function sectionsOf(
  lookup: NumberLookup,
  serving: Serving,
  sections: ReadonlySet<NumberSection>,
): Json {
  const raw = lookup.sources.find(({ outcome, raw: text }) => outcome === 'delivered' && text)?.raw;
  return present({
    whois_raw_response: sections.has('raw') ? raw : undefined,
    provenance: sections.has('provenance') ? provenanceBody(lookup, serving) : undefined,
  });
}

function dayOf(date: DateValue | undefined): string | undefined {
  return date?.iso.slice(0, 10);
}
