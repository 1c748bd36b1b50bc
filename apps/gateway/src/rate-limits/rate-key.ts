import { createHash } from 'node:crypto';
import { RATE_CLASSES, type RateClass } from '#libs/contracts';
import { CounterId } from '#libs/counters';

/**
 * Returns the rate key under which a class is counted. Test keys have rate keys of their own, so they never use up the
 * limits of live keys.
 */
export function rateKey(rateClass: RateClass, isTest: boolean): number {
  return RATE_CLASSES.indexOf(rateClass) + (isTest ? RATE_CLASSES.length : 0);
}

/** The rate key of operations without an API key, which are counted by address. */
export const PUBLIC_RATE_KEY = RATE_CLASSES.length * 2;

/** Returns the rate key of all messages of MCP with a key, before their contents are known. */
export const mcpRateKey = (isTest: boolean): number => PUBLIC_RATE_KEY + (isTest ? 2 : 1);

/** Returns the counter id of an address group, in the form of an account's id. */
export function addressCounterId(group: string): CounterId {
  const hex = createHash('sha256').update(group).digest('hex');
  const parts = [0, 8, 12, 16, 20, 32].map((at, place, all) => hex.slice(at, all[place + 1]));
  return new CounterId(parts.slice(0, 5).join('-'));
}
