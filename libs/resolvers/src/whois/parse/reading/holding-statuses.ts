import { eppStatus } from '../../../epp-statuses.js';

/** Words that registries print for a registered name, in addition to the EPP statuses. */
const HOLDING_WORDS: ReadonlySet<string> = new Set([
  'active',
  'activated',
  'allocated',
  'assigned',
  'connect',
  'connected',
  'delegated',
  'granted',
  'hold',
  'in quarantine',
  'in use',
  'live',
  'locked',
  'not delegated',
  'on hold',
  'ok',
  'paid',
  'paid and in zone',
  'pending delete',
  'pending deletion',
  'permanent',
  'permanent/lock',
  'published',
  'quarantine',
  'redemption',
  'registered',
  'registered until expiry date',
  'registered, delegated',
  'taken',
  'to be released',
]);

/** True for a status that by itself proves that the name is registered. */
export function isHoldingStatus(status: string): boolean {
  return eppStatus(status) !== undefined || HOLDING_WORDS.has(status.toLowerCase());
}
