import { FilesConfig } from '#libs/files';
import {
  ConfigurationError,
  TelemetryConfig,
  isLoopbackHost,
  isLoopbackOrigin,
  loadConfig,
  loadConfigs,
} from '#libs/platform';
import {
  type Settings,
  databaseSettings,
  generatedSecrets,
  installed,
  ownDatabasesConfig,
} from '#libs/services';
import { AccountConfig } from '../../../account/src/account.config.js';
import { DashboardConfig } from '../../../dashboard/src/dashboard.config.js';
import { SERVICES } from '../../../services.js';
import { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';
import { type DemoAccount, SoloConfig } from '../solo.config.js';
import type { SoloDatabase } from './solo-database.js';

export interface SettingSources {
  environment: Settings;
  /** Settings that override all others, for the limits of a story or a bench. */
  overrides: Settings;
  apiPort: number;
  dashboardPort: number;
  folder: DataFolder;
  secrets: Pick<Secrets, 'settings'>;
  database: Pick<SoloDatabase, 'url'>;
}

export const OwnDatabasesConfig = ownDatabasesConfig(SERVICES);

/** Placeholders for values that are generated or chosen during the start. They are valid in every config class. */
const STAND_IN = {
  secrets: {
    settings: () =>
      Object.fromEntries(generatedSecrets(SERVICES).map((env) => [env, 'x'.repeat(64)])),
  },
  database: { url: () => 'postgres://x@127.0.0.1/x' },
  address: 'http://127.0.0.1:1',
  processor: { STRIPE_API_KEY: 'sk_test_simulator', STRIPE_CALLBACK_SECRETS: 'x'.repeat(64) },
};

/** The settings of which any one, even a blank one, replaces the simulated payment processors. */
export const REAL_PROCESSORS = [
  'STRIPE_API_KEY',
  'STRIPE_API_KEY_FILE',
  'BILLING_PAYPAL_CLIENT_ID',
];

/**
 * Reads every setting of every service, before anything is created or opened.
 * @throws ConfigurationError that lists all faults.
 */
export function checkSettings(environment: Settings): void {
  const { API_PORT, DASHBOARD_PORT } = environment;
  const hasChosen = REAL_PROCESSORS.some((env) => environment[env] !== undefined);
  const settings = soloSettings({
    environment: hasChosen ? environment : { ...environment, ...STAND_IN.processor },
    overrides: { API_PORT, DASHBOARD_PORT, ...addresses() },
    apiPort: 1,
    dashboardPort: 1,
    folder: new DataFolder('.'),
    secrets: STAND_IN.secrets,
    database: STAND_IN.database,
  });
  const classes = installed(SERVICES, settings).map(({ config }) => config);
  loadConfigs([SoloConfig, OwnDatabasesConfig, TelemetryConfig, FilesConfig, ...classes], settings);
  checkMailbox(settings);
}

/**
 * Checks that a mail server is set if other machines can reach the dashboard. Without a mail server, a page of the
 * dashboard shows all e-mails, including reset links.
 * @throws ConfigurationError.
 */
function checkMailbox(settings: Settings): void {
  const { smtpUrl } = loadConfig(AccountConfig, settings);
  if (smtpUrl !== undefined || isDashboardAtHome(settings)) return;
  const { host, billingUrl } = loadConfig(DashboardConfig, settings);
  throw new ConfigurationError([
    `SMTP_URL: must be set, because the dashboard can be reached from other machines (DASHBOARD_HOST is ${host}, BILLING_URL is ${billingUrl}). Without a mail server, its mailbox page would show everybody's e-mails, including links to set passwords`,
  ]);
}

/** Whether only people on this machine can reach the dashboard. */
export function isDashboardAtHome(settings: Settings): boolean {
  const dashboard = loadConfig(DashboardConfig, { ...addresses(), ...settings });
  return isLoopbackHost(dashboard.host) && isLoopbackOrigin(dashboard.billingUrl);
}

/**
 * Whether there is a demo account. There is one unless `wanted` is `none`, but never in production, because its log-in
 * and keys are printed, and anybody could use its credits.
 */
export function isDemoWanted(settings: Settings, wanted: DemoAccount = 'full'): boolean {
  const { NODE_ENV, API_HOST, BASE_URL, API_HOST_FILE, BASE_URL_FILE } = settings;
  const isApiAtHome =
    // An address in a file is taken not to be a loopback address, because nobody would use a file for one.
    !API_HOST_FILE?.trim() &&
    !BASE_URL_FILE?.trim() &&
    (API_HOST === undefined || isLoopbackHost(API_HOST)) &&
    (BASE_URL === undefined || isLoopbackOrigin(BASE_URL));
  const isProduction = NODE_ENV === 'production' || !isApiAtHome || !isDashboardAtHome(settings);
  return wanted !== 'none' && !isProduction;
}

/** Returns placeholder addresses of the services, which are used until the real addresses are known. */
function addresses(): Settings {
  const called = SERVICES.flatMap(({ urlSetting }) =>
    urlSetting === undefined ? [] : [[urlSetting, STAND_IN.address]],
  );
  return Object.fromEntries(called) as Settings;
}

/** Settings of services that have no effect in one process, with a hint about where each has an effect. */
const UNUSED: readonly [env: string, where: string][] = [
  ['KAFKA_BROKERS', 'see npm run cluster'],
  ['GATEWAY_REUSE_PORT', 'a gateway in its own process uses it, see apps/gateway/README.md'],
  ['DASHBOARD_REUSE_PORT', 'a dashboard in its own process uses it, see apps/dashboard/README.md'],
];

/** Returns one line for each given setting that has no effect here. */
export function unusedSettings(environment: Settings): string[] {
  return UNUSED.filter(([env]) => environment[env]?.trim()).map(
    ([env, where]) => `${env} is not used by npm start: ${where}`,
  );
}

/**
 * Returns the settings of every service: the operator's settings, together with the addresses and secrets of this
 * installation.
 */
export function soloSettings(sources: SettingSources): Settings {
  const { environment, overrides, apiPort, dashboardPort, folder, secrets, database } = sources;
  const defaults = {
    BASE_URL: `http://localhost:${apiPort}`,
    BILLING_URL: `http://localhost:${dashboardPort}`,
    // No load balancer needs time to notice that this process stops.
    GATEWAY_DRAIN_NOTICE_MS: '0',
    DASHBOARD_DRAIN_NOTICE_MS: '0',
    // One event loop runs every service, and right after a start all services run most of their code for the first
    // time.
    GATEWAY_LOOP_DELAY_MAX_MS: '1000',
    AUDIT_ANCHORS: folder.file('audit-anchors.log'),
    ERASED_ACCOUNTS: folder.file('erased-accounts.list'),
    FILES_LOCATION: folder.file('files'),
    CORPUS_SUPPRESSIONS: folder.file('suppressions.list'),
    // This lets the demo account try database files.
    CORPUS_SELL_GENERATED: 'true',
  };
  const ports = SERVICES.flatMap(({ listeners }) => listeners.map(({ port }) => [port, '0']));
  const databases = SERVICES.map((service) =>
    databaseSettings(service, (role) => database.url(role)),
  );
  const own = Object.assign(
    Object.fromEntries(ports),
    {
      API_PORT: String(apiPort),
      DASHBOARD_PORT: String(dashboardPort),
      GATEWAY_JOURNAL: folder.file('gateway-leases.journal'),
    },
    secrets.settings(),
    ...databases,
  ) as Settings;
  return [environment, own, overrides].reduce<Settings>(replaced, defaults);
}

/** Merges settings. `later` takes precedence, even if one of the two names a file for a setting of the other. */
function replaced(earlier: Settings, later: Settings): Settings {
  const isKept = (name: string) =>
    !(name.replace(/_FILE$/, '') in later || `${name}_FILE` in later);
  const kept = Object.entries(earlier).filter(([name]) => isKept(name));
  return { ...Object.fromEntries(kept), ...later };
}
