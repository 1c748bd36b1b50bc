import type { Operation } from './operation.js';
import { WHOIS_LIVE } from './whois/whois-live.js';

/** Every operation of the product. A row that stands here is routed, validated, priced and documented. */
export const OPERATIONS = [WHOIS_LIVE] as const satisfies readonly Operation[];
