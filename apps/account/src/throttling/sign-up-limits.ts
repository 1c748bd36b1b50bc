import { HOUR_MS } from '#libs/platform';
import type { AttemptLimit } from './throttling.service.js';

/** Limits sign-ups from one network, through the form and providers together (S38). */
export const SIGN_UP_NETWORK_LIMIT: AttemptLimit = {
  name: 'sign-up network',
  max: 10,
  windowMs: HOUR_MS,
};

/**
 * Above this limit, the audit log gets an entry. Sign-ups continue, because strangers must not be able to block a whole
 * mail domain.
 */
export const SIGN_UP_DOMAIN_LIMIT: AttemptLimit = {
  name: 'sign-up domain',
  max: 30,
  windowMs: HOUR_MS,
};

/**
 * Limits the e-mails with links that are sent to one mailbox, under any of its addresses, before its owner has
 * confirmed an address. Strangers can cause such e-mails by signing up or by changing their own address.
 */
export const MAILBOX_LIMIT: AttemptLimit = { name: 'sign-up mailbox', max: 3, windowMs: HOUR_MS };
