import { Command } from 'commander';
import { EmbeddedServer, checkServer } from '#libs/database';
import { ConfigurationError, SystemClock, counted, loadConfigs } from '#libs/platform';
import {
  type InstallationDatabase,
  InstallationDatabases,
  type OwnDatabases,
} from '#libs/services';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SoloFacts } from './announcement/solo-facts.js';
import { hasInternet } from './checks/internet.js';
import { checkDiskSpace, checkFolderCanBeWritten, checkPortFree } from './checks/machine-checks.js';
import { type Check, productionChecks } from './checks/production-checks.js';
import { DataFolder } from './data-folder/data-folder.js';
import { FolderLock } from './checks/folder-lock.js';
import { SERVICES } from '../../services.js';
import { ProductionConfig, type ProductionSettings } from './production.config.js';
import { OwnDatabasesConfig } from './services/solo-settings.js';
import { SoloConfig } from './solo.config.js';

/** The folder in which the timer in docs/operations/production.md stores backups. */
const BACKUPS = '/var/backups';

/**
 * Runs `npm run doctor`: checks everything that a start needs and, if other machines can reach the
 * installation, everything that production needs. Prints a remedy for each fault.
 * @returns the exit code.
 */
async function doctor(): Promise<number> {
  let config: SoloConfig;
  let own: OwnDatabases;
  let settings: ProductionSettings;
  try {
    [config, own, settings] = loadConfigs([SoloConfig, OwnDatabasesConfig, ProductionConfig]);
  } catch (error) {
    say('✗', 'settings', (error as ConfigurationError).message);
    return 1;
  }
  let faults = 0;
  const { offline, backups } = new Command('npm run doctor --')
    .description('checks everything that npm start needs')
    .option('--offline', 'checks what npm start -- --offline needs', config.offline)
    .option('--backups <folder>', 'the folder with the backups', BACKUPS)
    .parse()
    .opts<{ offline: boolean; backups: string }>();
  const clock = new SystemClock();
  const production = { settings, backups, now: () => clock.now() };
  const all = [...checks({ ...config, offline }, own), ...productionChecks(production)];
  for (const { name, look } of all) {
    try {
      say('✓', name, await look());
    } catch (error) {
      faults++;
      say('✗', name, (error as Error).message);
    }
  }
  process.stdout.write(
    faults === 0 ? '\nEverything is in order.\n' : `\n${counted(faults, 'fault')}.\n`,
  );
  return faults === 0 ? 0 : 1;
}

function checks(config: SoloConfig, own: OwnDatabases): Check[] {
  const folder = new DataFolder(config.dataFolder);
  const holder = FolderLock.holder(folder);
  const running = holder === undefined ? undefined : folder.readJson<SoloFacts>('solo.json');
  const port = (number: number, setting: string, fact: keyof SoloFacts) => async () => {
    if (running) return `${new URL(String(running[fact])).port}, of the running process ${holder}`;
    if (holder !== undefined) return `not known yet: process ${holder} is starting`;
    await checkPortFree(number, setting);
    return `${number || 'any'} is free`;
  };
  return [
    { name: 'Node', look: async () => process.version },
    {
      name: 'data folder',
      look: async () => {
        checkFolderCanBeWritten(folder);
        return folder.path;
      },
    },
    {
      name: 'disk space',
      look: async () => {
        checkDiskSpace(folder.path);
        return 'enough';
      },
    },
    {
      name: 'running',
      look: async () => (holder === undefined ? 'no' : `yes, process ${holder}`),
    },
    { name: 'API port', look: port(config.apiPort, 'API_PORT', 'api_url') },
    {
      name: 'dashboard port',
      look: port(config.dashboardPort, 'DASHBOARD_PORT', 'dashboard_url'),
    },
    { name: 'metrics port', look: port(config.metricsPort, 'METRICS_PORT', 'metrics_url') },
    ...databaseChecks(config, own),
    { name: 'internet', look: internet(running ? running.mode === 'offline' : config.offline) },
  ];
}

function databaseChecks({ databaseAdminUrl = '' }: SoloConfig, own: OwnDatabases): Check[] {
  const { all } = new InstallationDatabases({
    services: SERVICES,
    adminUrl: databaseAdminUrl,
    own,
    passwordOf: () => '',
  });
  const look = async ({ adminUrl, services }: InstallationDatabase) => {
    if (adminUrl === '') return tryServer();
    const names = services.map(({ name }) => name).join(', ');
    try {
      return `${await checkServer(adminUrl, services)}, for ${names}`;
    } catch (error) {
      throw new Error(`for ${names}: ${(error as Error).message}`, { cause: error });
    }
  };
  return all.map((database) => ({ name: 'PostgreSQL', look: () => look(database) }));
}

const internet = (isOffline: boolean) => async () => {
  if (isOffline) return 'not needed: live keys use the registry simulator';
  if (await hasInternet()) return 'names can be resolved';
  return 'none: test keys work; for live keys start with "npm start -- --offline"';
};

/** Starts and stops a server in a temporary folder. A failure here would also fail a start. */
async function tryServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-doctor-'));
  let server: EmbeddedServer | undefined;
  try {
    server = await EmbeddedServer.start({ folder, password: 'doctor', durable: false });
    return 'starts and answers';
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
    if (server && server.folder !== folder) rmSync(server.folder, { recursive: true, force: true });
  }
}

function say(mark: string, name: string, text: string): void {
  process.stdout.write(`${mark} ${name.padEnd(15)} ${text}\n`);
}

process.exitCode = await doctor();
