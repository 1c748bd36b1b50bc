import type { ServerStatements } from '../outcome/server-statements.js';
import { sisterOf } from './sister-tlds.js';

/** Phrases that mean something from these servers alone; notation of `outcome/phrases.ts`. */
interface ListedStatements extends Partial<ServerStatements> {
  /** TLDs (without dot) whose registry says so. */
  tlds?: readonly string[];
  /** Port-43 hosts that say so, whatever the TLD. */
  servers?: readonly string[];
}

/**
 * What the general rules cannot know about one server's announcements. `absent` is the second of three things
 * that say "available": list a phrase only with the registry's answer or documentation at hand.
 */
const LISTED: readonly ListedStatements[] = [
  { tlds: ['ar'], absent: ['^el dominio no se encuentra registrado en nic'] },
  {
    tlds: ['be'],
    blocked: ['^status: not allowed', '^status: not available'],
    throttled: ['excessive querying'],
  },
  {
    tlds: ['br'],
    reserved: ['waiting release', '^% reserved', 'reserved:'],
    blocked: ['^domain is not allowed', 'is not allowed for registration'],
    throttled: ['query rate limit exceeded'],
  },
  {
    tlds: ['ca'],
    blocked: ['^domain status: unavailable'],
    reserved: ['^domain status: auto-reserved'],
  },
  {
    tlds: ['cf', 'ga', 'gq', 'ml', 'tk'],
    absent: ['^invalid query or domain name not known in'],
    throttled: ['can temporarily not be answered'],
  },
  {
    tlds: ['cn'],
    reserved: ['can not be registered online'],
    blocked: ['^the domain you want to register is reserved', '^invalid parameter'],
  },
  { tlds: ['cz'], throttled: ['connection limit exceeded'] },
  { tlds: ['de'], refused: ['^status: invalid'] },
  { tlds: ['dk'], absent: ['^no entries found for the selected source'] },
  {
    tlds: ['eu'],
    reserved: ['^status: application pending', '^status: reserved'],
    blocked: ['^status: not available', '^status: not allowed', '^status: withdrawn'],
  },
  { servers: ['whois.eu.org'], absent: ['^key not found'] },
  { tlds: ['fi'], blocked: ['^domain not available'] },
  {
    tlds: ['fr', 're', 'pm', 'tf', 'wf', 'yt'],
    absent: ['^no entries found in the afnic database'],
  },
  { tlds: ['hr'], absent: ['^error: no entries found'] },
  {
    tlds: ['hk'],
    throttled: ['maintain at least'],
    blocked: ['^the domain name is not available', 'is reserved'],
  },
  { tlds: ['ie'], absent: ['^not registered - '], reserved: ['^application pending'] },
  { servers: ['whois.iana.org'], absent: ['^organisation: not assigned'] },
  {
    tlds: ['kr'],
    absent: ['^above domain name is not registered to krnic'],
    reserved: ['예약', '등록이 제한'],
  },
  { tlds: ['lk'], absent: ['^this domain is not available in our whois database'] },
  { tlds: ['lu'], reserved: ['^domaintype: reserved'] },
  { tlds: ['ma'], absent: ['^error 230 no objects found'] },
  { tlds: ['md'], absent: ['^no match for$'] },
  {
    tlds: ['name'],
    blocked: ['^not available for registration', '^not available for second level'],
  },
  {
    tlds: ['nl'],
    blocked: [' is excluded$', '^status: excluded', ' is withdrawn$'],
    reserved: ['^status: reserved', ' is reserved$'],
    throttled: ['request per second allowed', 'daily whois-limit exceeded'],
  },
  {
    tlds: ['nz'],
    blocked: ['^query_status: 505', '^query_status: 230'],
    throttled: ['^query_status: 440', '^query_status: 4'],
  },
  { tlds: ['pl'], throttled: ['request limit exceeded'], blocked: ['domain name is blocked'] },
  { tlds: ['rs'], absent: ['^error:103: domain is not registered'] },
  { tlds: ['sl'], absent: ['^domain not found, marked private, or error in your query'] },
  { tlds: ['sn'], absent: ['not found$'] },
  { tlds: ['to'], absent: ['^no match for '] },
  {
    tlds: ['uk'],
    blocked: [
      'cannot be registered',
      '^this domain name cannot',
      '^error for+the domain name contains',
    ],
    throttled: ['has been exceeded'],
  },
];

const NOTHING: ServerStatements = {
  absent: [],
  blocked: [],
  premium: [],
  refused: [],
  reserved: [],
  throttled: [],
};
const BY_SERVER = new Map<string, ServerStatements>();
const BY_TLD = new Map<string, ServerStatements>();

for (const { tlds = [], servers = [], ...phrases } of LISTED) {
  const statements = { ...NOTHING, ...phrases };
  for (const server of servers) BY_SERVER.set(server, statements);
  for (const tld of tlds) BY_TLD.set(tld, statements);
}

/** The phrases of a server, else (for a registry's answer) of its top-level domain. */
export function statementsOf(context: {
  server: string;
  tld: string;
  role: 'registry' | 'registrar';
}): ServerStatements {
  const byServer = BY_SERVER.get(context.server.toLowerCase());
  if (byServer !== undefined) return byServer;
  if (context.role === 'registrar') return NOTHING;
  const tld = context.tld.toLowerCase();
  const top = tld.slice(tld.lastIndexOf('.') + 1);
  return BY_TLD.get(tld) ?? BY_TLD.get(sisterOf(top) ?? top) ?? NOTHING;
}
