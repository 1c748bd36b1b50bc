import { ACCOUNT_KEY_OPERATIONS } from './keys/account-keys.js';
import { BILLING_DETAILS, BILLING_DETAILS_PUT } from './account/billing-details.js';
import { ACCOUNT_DELETE, ACCOUNT_RESTORE } from './account/deletion.js';
import { ACCOUNT_EXPORT } from './export/account-export.js';
import {
  KEY,
  KEYS,
  KEY_CREATE,
  KEY_REISSUE,
  KEY_REVOKE,
  KEY_ROTATE,
  KEY_UPDATE,
} from './keys/keys.js';
import { LINK_CHECK } from './sign-in/mailed-links.js';
import { PASSWORD_CHANGE, PASSWORD_FORGOT, PASSWORD_RESET } from './account/passwords.js';
import { ADDRESS_CHANGE, ADDRESS_CONFIRM, PROFILE, PROFILE_UPDATE } from './account/profile.js';
import {
  IDENTITIES,
  IDENTITY_CONNECT,
  IDENTITY_REMOVE,
  LOG_IN_PROVIDER,
  LOG_IN_PROVIDERS,
  PROVIDER_RETURN,
} from './sign-in/identities.js';
import { PASSKEY_OPERATIONS } from './sign-in/passkeys.js';
import {
  LOG_IN_CODE,
  SECOND_FACTOR,
  SECOND_FACTOR_BEGIN,
  SECOND_FACTOR_CODES,
  SECOND_FACTOR_CONFIRM,
  SECOND_FACTOR_REMOVE,
} from './sign-in/second-factor.js';
import {
  LOG_IN,
  LOG_OUT,
  REAUTHENTICATE,
  SESSION,
  SESSIONS,
  SESSIONS_END_OTHERS,
  SESSION_END,
} from './account/sessions.js';
import { SIGN_UP, SIGN_UP_CONFIRM } from './account/sign-up.js';
import { BALANCE, LEDGER } from './account/balance.js';
import { ACCOUNT_CREDITS } from './account/credits.js';
import { ACCOUNT_REQUESTS, REQUESTS } from './usage/requests.js';
import { ACCOUNT_LIMITS } from './usage/limits.js';
import { ACCOUNT_USAGE } from './usage/usage.js';
import { USAGE_V1 } from './usage/usage-v1.js';
import { AVAILABILITY_BULK } from './availability/availability-bulk.js';
import { AVAILABILITY } from './availability/availability.js';
import { LEAKED_KEYS } from './keys/leaked-keys.js';
import { CALLBACK } from './billing/callback.js';
import { INVOICES, INVOICE_ARCHIVE, INVOICE_PDF, INVOICE_REGENERATE } from './billing/invoices.js';
import { ORDER, ORDERS, ORDER_CREATE, ORDER_DROP, ORDER_RETURN } from './billing/orders.js';
import { PROCESSORS } from './billing/processors.js';
import {
  SUBSCRIPTION,
  SUBSCRIPTIONS,
  SUBSCRIPTION_CANCEL,
  SUBSCRIPTION_CHANGE,
  SUBSCRIPTION_DROP,
  SUBSCRIPTION_PAYMENT_DETAILS,
  SUBSCRIPTION_PREVIEW,
  SUBSCRIPTION_UNDO,
} from './billing/subscriptions.js';
import { TAX } from './billing/tax.js';
import { DNS_BULK } from './dns/dns-bulk.js';
import { DNS_LIVE } from './dns/dns-live.js';
import { FILE, FILES, FILES_SAMPLE, FILES_STATUS } from './files/files.js';
import { DNS_HISTORICAL } from './history/dns-historical.js';
import { WHOIS_HISTORY } from './history/whois-history.js';
import { JOB, JOBS, JOB_CANCEL, JOB_DNS, JOB_RESULTS, JOB_WHOIS } from './jobs/jobs.js';
import {
  MONITORS,
  MONITOR_CREATE,
  MONITOR,
  MONITOR_UPDATE,
  MONITOR_DELETE,
  MONITOR_PAUSE,
  MONITOR_RESUME,
  MONITOR_TEST,
  MONITOR_EVENTS,
  MONITOR_HIT_UPDATE,
} from './monitors/monitors.js';
import { ASN_WHOIS } from './numbers/asn-whois.js';
import { IP_WHOIS } from './numbers/ip-whois.js';
import {
  WEBHOOKS,
  WEBHOOK_CREATE,
  WEBHOOK,
  WEBHOOK_UPDATE,
  WEBHOOK_DELETE,
  WEBHOOK_ROTATE,
  WEBHOOK_TEST,
  WEBHOOK_DELIVERIES,
  WEBHOOK_REPLAY,
} from './webhooks/webhooks.js';
import { atDashboard } from './dashboard-call.js';
import type { Operation } from './operation.js';
import { PRICING_QUOTE } from './pricing/pricing-quote.js';
import { PRICING } from './pricing/pricing.js';
import { REPUTATION } from './reputation/reputation.js';
import { DNS_PTR } from './reverse/dns-ptr.js';
import { DNS_REVERSE } from './reverse/dns-reverse.js';
import { WHOIS_REVERSE } from './reverse/whois-reverse.js';
import { SUBDOMAINS } from './subdomains/subdomains.js';
import { TLD } from './tlds/tld.js';
import { TLDS } from './tlds/tlds.js';
import { TYPO_SCORES } from './typos/typo-scores.js';
import { TYPOS } from './typos/typos.js';
import {
  UPLOAD,
  UPLOADS,
  UPLOAD_APPEND,
  UPLOAD_CREATE,
  UPLOAD_REMOVE,
  UPLOAD_STATE,
} from './uploads/uploads.js';
import { WHOIS_BULK } from './whois/whois-bulk.js';
import { WHOIS_LIVE } from './whois/whois-live.js';

export * from './account/balance.js';
export * from './account/billing-details.js';
export * from './account/invoice-text.js';
export * from './account/deletion.js';
export { atDashboard } from './dashboard-call.js';
export * from './export/account-export.js';
export * from './keys/key-answer.js';
export * from './keys/account-keys.js';
export * from './keys/keys.js';
export * from './keys/leaked-keys.js';
export * from './sign-in/mailed-links.js';
export * from './account/passwords.js';
export * from './account/profile.js';
export * from './sign-in/identities.js';
export * from './sign-in/passkeys.js';
export * from './sign-in/second-factor.js';
export * from './account/sessions.js';
export * from './account/sign-up.js';
export * from './account/credits.js';
export * from './usage/requests.js';
export * from './usage/limits.js';
export * from './usage/usage.js';
export * from './usage/usage-v1.js';
export * from './availability/availability-answer.js';
export * from './availability/availability-bulk.js';
export * from './availability/availability.js';
export * from './dns/dns-answer.js';
export * from './dns/dns-bulk.js';
export * from './dns/dns-live.js';
export * from './files/file-answer.js';
export * from './files/files.js';
export * from './history/dns-historical.js';
export * from './history/whois-history.js';
export * from './jobs/job-answer.js';
export * from './jobs/jobs.js';
export * from './monitors/monitor-answer.js';
export * from './monitors/monitor-request.js';
export * from './monitors/monitor-words.js';
export * from './monitors/monitors.js';
export * from './numbers/asn-whois.js';
export * from './numbers/ip-whois.js';
export * from './numbers/number-answer.js';
export * from './pricing/price-list.js';
export * from './pricing/pricing-quote.js';
export * from './pricing/pricing.js';
export * from './reputation/reputation.js';
export * from './reverse/dns-ptr.js';
export * from './reverse/dns-reverse.js';
export * from './reverse/reverse-value.js';
export * from './reverse/whois-reverse.js';
export * from './subdomains/subdomains.js';
export * from './tlds/tld-coverage.js';
export * from './tlds/tld.js';
export * from './tlds/tlds.js';
export * from './typos/typo-answer.js';
export * from './typos/typo-kinds.js';
export * from './typos/typo-scores.js';
export * from './typos/typos.js';
export * from './webhooks/webhook-answer.js';
export * from './webhooks/webhook-data.js';
export * from './webhooks/webhooks.js';
export * from './uploads/upload-answer.js';
export * from './uploads/uploads.js';
export * from './whois/answered-sources.js';
export * from './whois/whois-answer.js';
export * from './whois/whois-bulk.js';
export * from './whois/whois-live.js';
export * from './whois/whois-parties.js';
export * from './whois/whois-provenance.js';

/** The rows of all operations, in the order of the documents. */
const LISTED: readonly Operation[] = [
  WHOIS_LIVE,
  WHOIS_BULK,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
  IP_WHOIS,
  ASN_WHOIS,
  DNS_LIVE,
  DNS_BULK,
  DNS_HISTORICAL,
  DNS_PTR,
  DNS_REVERSE,
  SUBDOMAINS,
  AVAILABILITY,
  AVAILABILITY_BULK,
  TYPOS,
  TYPO_SCORES,
  REPUTATION,
  UPLOAD_CREATE,
  UPLOADS,
  // This row comes before the one with GET, for which Fastify would create its own HEAD.
  UPLOAD_STATE,
  UPLOAD,
  UPLOAD_APPEND,
  UPLOAD_REMOVE,
  JOB_WHOIS,
  JOB_DNS,
  JOBS,
  JOB,
  JOB_CANCEL,
  JOB_RESULTS,
  MONITORS,
  MONITOR_CREATE,
  MONITOR,
  MONITOR_UPDATE,
  MONITOR_DELETE,
  MONITOR_PAUSE,
  MONITOR_RESUME,
  MONITOR_TEST,
  MONITOR_EVENTS,
  MONITOR_HIT_UPDATE,
  FILES,
  FILE,
  FILES_STATUS,
  FILES_SAMPLE,
  WEBHOOKS,
  WEBHOOK_CREATE,
  WEBHOOK,
  WEBHOOK_UPDATE,
  WEBHOOK_DELETE,
  WEBHOOK_ROTATE,
  WEBHOOK_TEST,
  WEBHOOK_DELIVERIES,
  WEBHOOK_REPLAY,
  ACCOUNT_USAGE,
  ACCOUNT_LIMITS,
  ACCOUNT_REQUESTS,
  ACCOUNT_CREDITS,
  ...ACCOUNT_KEY_OPERATIONS,
  USAGE_V1,
  TLDS,
  TLD,
  PRICING,
  PRICING_QUOTE,
  SIGN_UP,
  SIGN_UP_CONFIRM,
  LINK_CHECK,
  LOG_IN,
  LOG_IN_CODE,
  LOG_IN_PROVIDERS,
  LOG_IN_PROVIDER,
  PROVIDER_RETURN,
  LOG_OUT,
  SESSION,
  REAUTHENTICATE,
  SESSIONS,
  SESSION_END,
  SESSIONS_END_OTHERS,
  PASSWORD_FORGOT,
  PASSWORD_RESET,
  PASSWORD_CHANGE,
  SECOND_FACTOR,
  SECOND_FACTOR_BEGIN,
  SECOND_FACTOR_CONFIRM,
  SECOND_FACTOR_CODES,
  SECOND_FACTOR_REMOVE,
  IDENTITIES,
  IDENTITY_CONNECT,
  IDENTITY_REMOVE,
  ...PASSKEY_OPERATIONS,
  PROFILE,
  PROFILE_UPDATE,
  ADDRESS_CHANGE,
  ADDRESS_CONFIRM,
  ACCOUNT_EXPORT,
  ACCOUNT_DELETE,
  ACCOUNT_RESTORE,
  BILLING_DETAILS,
  BILLING_DETAILS_PUT,
  KEYS,
  KEY,
  KEY_CREATE,
  KEY_UPDATE,
  KEY_REVOKE,
  KEY_ROTATE,
  KEY_REISSUE,
  BALANCE,
  LEDGER,
  REQUESTS,
  ORDERS,
  ORDER_CREATE,
  ORDER,
  ORDER_RETURN,
  ORDER_DROP,
  PROCESSORS,
  TAX,
  SUBSCRIPTIONS,
  SUBSCRIPTION,
  SUBSCRIPTION_PREVIEW,
  SUBSCRIPTION_CHANGE,
  SUBSCRIPTION_CANCEL,
  SUBSCRIPTION_UNDO,
  SUBSCRIPTION_DROP,
  SUBSCRIPTION_PAYMENT_DETAILS,
  INVOICES,
  INVOICE_ARCHIVE,
  INVOICE_PDF,
  INVOICE_REGENERATE,
  CALLBACK,
  LEAKED_KEYS,
];

const isAtDashboard = ({ access }: Operation) => access.kind === 'key' && access.isAtDashboard;

/** Every call of the product. The dashboard's counterparts of API calls are derived from the rows of those calls. */
export const OPERATIONS: readonly Operation[] = [
  ...LISTED,
  ...LISTED.filter(isAtDashboard).map(atDashboard),
];
