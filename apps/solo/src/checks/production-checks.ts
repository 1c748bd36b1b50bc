import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { SmtpTransport } from '#libs/mail';
import { DAY_MS, HOUR_MS, counted, isLoopbackOrigin } from '#libs/platform';
import type { ProductionSettings } from '../production.config.js';
import { paypalWebhook, stripeWebhook } from '../../../cli/src/sandbox/registered-webhooks.js';

export interface Check {
  name: string;
  /** Runs the check. @returns a few words about the success. @throws Error with the fault and its remedy. */
  look(): Promise<string>;
}

export interface ProductionFacts {
  settings: ProductionSettings;
  backups: string;
  now: () => Date;
  authorities?: readonly string[];
  /** Returns the output of a program on this machine; undefined if the program is missing or fails. */
  says?: (program: string, ...given: string[]) => string | undefined;
}

const TIMEOUT_MS = 5_000;
const CERTIFICATE_MIN_MS = 14 * DAY_MS;
/** Maximum age of the newest backup: one day, plus the time that a slow backup may take. */
const BACKUP_AGE_MAX_MS = 26 * HOUR_MS;
const PAGE = 'docs/operations/production.md';

/**
 * Returns the checks of docs/operations/production.md. Returns no checks for an installation that other machines cannot
 * reach.
 */
export function productionChecks(facts: ProductionFacts): Check[] {
  const { settings, says = programSays } = facts;
  const origins = [settings.BASE_URL, settings.BILLING_URL].flatMap((origin) => origin ?? []);
  if (!origins.some((origin) => !isLoopbackOrigin(origin))) return [];
  const hosts = [...new Set(origins)].map((origin) => new URL(origin));
  return [
    { name: 'production', look: async () => settingsSeen(settings) },
    ...hosts.map((url) => ({ name: `DNS ${url.hostname}`, look: () => addressesOf(url.hostname) })),
    ...hosts.map((url) => ({ name: `TLS ${url.hostname}`, look: () => certificateOf(url, facts) })),
    { name: 'proxy', look: async () => proxySeen(says, hosts) },
    { name: 'SMTP', look: () => smtpSeen(settings) },
    ...webhookChecks(settings),
    { name: 'backups', look: async () => backupSeen(facts) },
    { name: 'clock', look: async () => clockSeen(says) },
  ];
}

/** Checks the settings of a public installation. @throws Error that names those that are missing or not https. */
function settingsSeen(settings: ProductionSettings): string {
  const wanted: [name: keyof ProductionSettings, why: string][] = [
    ['BASE_URL', 'the API’s public origin, https://api.…'],
    ['BILLING_URL', 'the dashboard’s public origin, https://dashboard.…'],
    ['GATEWAY_TRUSTED_PROXIES', 'without it, every client has the proxy’s address'],
    ['DASHBOARD_TRUSTED_PROXIES', 'without it, every visitor has the proxy’s address'],
    ['SMTP_URL', 'without it, nobody gets e-mails'],
    ['MAIL_FROM', 'the sender of e-mails'],
    ['INVOICE_SELLER_NAME', 'is printed on invoices'],
    ['INVOICE_SELLER_ADDRESS', 'is printed on invoices'],
  ];
  const missing = wanted.filter(([name]) => !settings[name]?.trim());
  const plain = (['BASE_URL', 'BILLING_URL'] as const).filter((name) =>
    settings[name]?.startsWith('http:'),
  );
  const faults = [
    ...missing.map(([name, why]) => `${name} is not set (${why})`),
    ...plain.map((name) => `${name} is not an https: address`),
  ];
  if (faults.length > 0) throw new Error(`${faults.join('; ')}. See ${PAGE}, 2.`);
  return 'all settings of a public installation are set';
}

async function addressesOf(host: string): Promise<string> {
  try {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => address).join(', ');
  } catch {
    throw new Error(
      `has no address: add A and AAAA records that point to this machine. See ${PAGE}, 1.`,
    );
  }
}

/**
 * Checks the certificate of a URL.
 * @returns a text with the day on which it expires.
 * @throws Error for a URL without TLS or without an answer, and for a certificate that a browser would reject or that
 * expires soon.
 */
async function certificateOf(url: URL, { now, authorities }: ProductionFacts): Promise<string> {
  const { protocol, hostname: host, port } = url;
  if (protocol !== 'https:') throw new Error(`${url.origin} has no TLS. See ${PAGE}, 4.`);
  const ends = await new Promise<Date>((resolve, reject) => {
    const ca = authorities && [...authorities];
    const asked = { host, port: Number(port || 443), servername: host, ca, timeout: TIMEOUT_MS };
    const socket = connect(asked, () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('error', reject).once('timeout', () => socket.destroy(new Error('no answer')));
  }).catch((error: Error) => {
    throw new Error(
      `${url.origin}: ${error.message}. Is the proxy running, and is its certificate for this name?`,
    );
  });
  const day = ends.toISOString().slice(0, 10);
  if (ends.getTime() - now().getTime() < CERTIFICATE_MIN_MS) {
    throw new Error(
      `the certificate of ${host} expires on ${day}: renew it, and find out why it was not renewed automatically.`,
    );
  }
  return `until ${day}`;
}

/**
 * Checks that nginx does not buffer streams and uploads, because that would delay them; does nothing if nginx's
 * configuration cannot be read.
 * @throws Error if nginx buffers them, or if it is not configured for the API's host.
 */
function proxySeen(says: Says, hosts: readonly URL[]): string {
  const nginx = says('nginx', '-T');
  if (nginx === undefined) {
    return 'not checked: nginx is not installed, or this user cannot read its configuration';
  }
  const [api] = hosts;
  if (!nginx.includes(api.hostname)) {
    throw new Error(
      `nginx is not configured for ${api.hostname}. See docs/operations/reverse-proxy.md.`,
    );
  }
  const missing = ['proxy_buffering off', 'proxy_request_buffering off'].filter(
    (line) => !nginx.includes(line),
  );
  if (missing.length > 0) {
    throw new Error(`nginx lacks "${missing.join('", "')}". See docs/operations/reverse-proxy.md.`);
  }
  return 'nginx does not buffer streams and uploads';
}

async function smtpSeen({
  SMTP_URL: url,
  MAIL_FROM: from = '',
}: ProductionSettings): Promise<string> {
  if (!url) throw new Error(`SMTP_URL is not set: no e-mails are sent. See ${PAGE}, 2.`);
  const transport = new SmtpTransport({ url, from });
  const { host } = new URL(url);
  try {
    await transport.check();
    return `${host} accepts the log-in`;
  } catch (error) {
    const { code = 'no answer' } = error as { code?: string };
    const what =
      code === 'EAUTH' ? 'rejects the user name and password' : `cannot be reached (${code})`;
    throw new Error(`${host} ${what}: check SMTP_URL, including its port and TLS.`, {
      cause: error,
    });
  } finally {
    await transport.close();
  }
}

/** Returns the checks of the configured processors; at least one processor is required. */
function webhookChecks(settings: ProductionSettings): Check[] {
  const { BILLING_URL: origin = '', STRIPE_API_KEY: apiKey } = settings;
  const dashboardUrl = origin.replace(/\/$/, '');
  const { BILLING_PAYPAL_CLIENT_ID: clientId } = settings;
  const checks: Check[] = [];
  if (apiKey) {
    const apiUrl = settings.STRIPE_API_URL ?? 'https://api.stripe.com';
    const look = () => stripeWebhook({ apiUrl, apiKey, dashboardUrl });
    checks.push({ name: 'Stripe', look });
  }
  if (clientId) {
    const apiUrl = settings.BILLING_PAYPAL_API_URL ?? 'https://api-m.paypal.com';
    const clientSecret = settings.BILLING_PAYPAL_CLIENT_SECRET ?? '';
    const look = () => paypalWebhook({ apiUrl, clientId, clientSecret, dashboardUrl });
    checks.push({ name: 'PayPal', look });
  }
  if (checks.length > 0) return checks;
  const look = async () => {
    throw new Error(`no processor is set up, so no real payments are possible. See ${PAGE}, 5.`);
  };
  return [{ name: 'payments', look }];
}

/**
 * Checks the newest backup, unless the operator's own server has the data. @throws Error if there is none, or if it is
 * too old.
 */
function backupSeen({ settings, backups, now }: ProductionFacts): string {
  if (settings.DATABASE_ADMIN_URL) return 'not checked: you use your own PostgreSQL server';
  const newestMs = Math.max(...timesOf(backups));
  const hours = Math.floor((now().getTime() - newestMs) / HOUR_MS);
  if (newestMs === -Infinity) {
    throw new Error(`none in ${backups}: enable the timer. See ${PAGE}, 6.`);
  }
  const age = counted(hours, 'hour');
  if (hours * HOUR_MS >= BACKUP_AGE_MAX_MS) {
    throw new Error(
      `the newest in ${backups} is ${age} old: journalctl -u domain-data-backup says why.`,
    );
  }
  return `the newest is ${age} old`;
}

function timesOf(folder: string): number[] {
  try {
    const names = readdirSync(folder).filter((name) => /^domain-data-.*\.tar\.gz$/.test(name));
    return names.map((name) => statSync(join(folder, name)).mtimeMs);
  } catch {
    return [];
  }
}

/**
 * Checks that the clock is synchronised, because leases, sessions and signatures of callbacks depend on the time; does
 * nothing without timedatectl.
 * @throws Error if it is not.
 */
function clockSeen(says: Says): string {
  const answer = says('timedatectl', 'show', '--property=NTPSynchronized', '--value');
  if (answer === undefined) return 'not checked: this machine has no timedatectl';
  if (answer.trim() === 'yes') return 'synchronised over the network';
  throw new Error(
    'this machine’s clock is not synchronised: systemctl enable --now systemd-timesyncd.',
  );
}

type Says = NonNullable<ProductionFacts['says']>;

const programSays: Says = (program, ...given) => {
  const { status, stdout } = spawnSync(program, given, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return status === 0 ? stdout : undefined;
};
