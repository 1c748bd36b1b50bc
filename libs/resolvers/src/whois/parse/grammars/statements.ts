import type { ServerStatements } from '../outcome/server-statements.js';
import { sisterOf } from './sister-tlds.js';

/** Phrases that have a meaning only at certain servers, in the notation of `outcome/phrases.ts`. */
interface ListedStatements extends Partial<ServerStatements> {
  /** The TLDs (without a dot) whose registry uses the phrases. */
  tlds?: readonly string[];
  /** The port-43 hosts that use the phrases, whatever the TLD. */
  servers?: readonly string[];
}

/**
 * Announcements of individual servers that the general rules do not cover. What these servers say about unregistered
 * names is in `outcome/absence/`.
 */
const LISTED: readonly ListedStatements[] = [
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
    throttled: ['can temporarily not be answered'],
  },
  {
    tlds: ['cn'],
    reserved: ['can not be registered online'],
    blocked: ['^the domain you want to register is reserved', '^invalid parameter'],
  },
  { tlds: ['cz'], throttled: ['connection limit exceeded'] },
  { tlds: ['de'], refused: ['^status: invalid'] },
  {
    tlds: ['eu'],
    reserved: ['^status: application pending', '^status: reserved'],
    blocked: ['^status: not available', '^status: not allowed', '^status: withdrawn'],
  },
  { tlds: ['fi'], blocked: ['^domain not available'] },
  {
    tlds: ['hk'],
    throttled: ['maintain at least'],
    blocked: ['^the domain name is not available', 'is reserved'],
  },
  { tlds: ['ie'], reserved: ['^application pending'] },
  {
    tlds: ['kr'],
    reserved: ['예약', '등록이 제한'],
  },
  { tlds: ['lu'], reserved: ['^domaintype: reserved'] },
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

/**
 * Returns the phrases of a server. If the server has none, a registry's answer uses the phrases of the top-level
 * domain.
 */
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
