import { eppStatus } from '../epp-statuses.js';

/** RDAP statuses whose names differ in EPP (RFC 8056 §2). */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['active', 'ok'],
  ['associated', 'linked'],
]);

/** Returns the EPP name of an RDAP status; the source's own words if EPP has none. */
export function eppNameOf(rdapStatus: string): string {
  return RENAMED.get(rdapStatus.toLowerCase()) ?? eppStatus(rdapStatus) ?? rdapStatus;
}
