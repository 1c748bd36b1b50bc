import { Command } from 'commander';
import { ConfigurationError, loadConfig, monotonicMs, settingsOf } from '#libs/platform';
import { checkPortFree } from '../../solo/src/checks/machine-checks.js';
import { StartFault } from '../../solo/src/checks/start-fault.js';
import { announcement } from './announcement/box.js';
import { ClusterConfig } from './cluster.config.js';
import { paymentsOf } from './cluster-payments.js';
import type { RunningCluster } from './cluster.js';
import { Supervisor } from './processes/supervisor.js';

const INTERRUPTED = 130;

const STOPPING =
  'Stopping … this takes a few seconds, or up to half a minute if requests are running. A second Ctrl-C stops at once.\n';

/** Runs `npm run cluster`: every service as its own process until a signal arrives. */
async function main(): Promise<void> {
  const started = monotonicMs();
  const settings = { ...process.env, ...readCommandLine() };
  const { dataFolder, gateways, apiPort, dashboardPort, demoAccount } = loadConfig(
    ClusterConfig,
    settings,
  );
  say('Starting …');
  // A mistake on the command line is reported without waiting for all services' modules.
  const { startCluster } = await import('./cluster.js');
  await checkPortFree(apiPort, 'API_PORT');
  await checkPortFree(dashboardPort, 'DASHBOARD_PORT');
  const interruption = new AbortController();
  const stop = stopAtSignal(interruption);
  try {
    const cluster = await startCluster({
      folder: dataFolder,
      gateways,
      firstPorts: { api: apiPort, dashboard: dashboardPort },
      // On other systems, the kernel does not distribute connections over the listeners of one port.
      onePort: gateways > 1 && process.platform === 'linux',
      payments: paymentsOf(process.env),
      // Prints the log-in and keys, which is safe because every listener is on loopback.
      demoAccount: settings.NODE_ENV === 'production' ? 'none' : demoAccount,
      progress: say,
      signal: interruption.signal,
    });
    const supervisor = Supervisor.over(cluster.processes, say);
    stop.whenAsked(() => {
      supervisor.stop();
      return cluster.stop();
    });
    process.stdout.write(announcement(cluster.facts, (monotonicMs() - started) / 1000));
    await fillDemo(cluster);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    say('Stopped before the start was complete; nothing incomplete is left behind.');
    process.exit(INTERRUPTED);
  }
}

async function fillDemo(cluster: RunningCluster): Promise<void> {
  try {
    if (await cluster.fillDemo())
      say(
        'The demo account has a plan, invoices, jobs, monitors and, within a minute, 30 days of usage.',
      );
  } catch (error) {
    say(`The demo account could not be filled: ${String(error)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function readCommandLine(): Record<string, string> {
  const settings = settingsOf(ClusterConfig);
  const width = Math.max(...settings.map(({ env }) => env.length));
  const defaults = new Map(Object.entries(new ClusterConfig()));
  const lines = settings.map(
    ({ env, about, property }) =>
      `  ${env.padEnd(width)}  ${about} Default: ${defaults.get(property)}`,
  );
  const { gateways } = new Command('npm run cluster --')
    .description('every service in its own process, with PostgreSQL, Kafka and Valkey')
    .option('--gateways <number>', 'number of gateways; overrides CLUSTER_GATEWAYS')
    .addHelpText('after', `\nSettings, as environment variables:\n${lines.join('\n')}`)
    .showHelpAfterError('"npm run cluster -- --help" lists the option and the settings.')
    .parse()
    .opts<{ gateways?: string }>();
  return gateways === undefined ? {} : { CLUSTER_GATEWAYS: gateways };
}

/**
 * Stops at signals. The first signal aborts a start, or drains everything in order once the start is complete; a second
 * signal ends this process and, with it, all others.
 */
function stopAtSignal(interruption: AbortController) {
  let drain: (() => Promise<void>) | undefined;
  const stop = async () => {
    if (interruption.signal.aborted) process.exit(1);
    interruption.abort(new Error('interrupted'));
    if (!drain) return;
    process.stdout.write(STOPPING);
    await drain();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop().catch(fail));
  }
  return { whenAsked: (work: () => Promise<void>) => (drain = work) };
}

function fail(error: unknown): void {
  const isExpected = error instanceof StartFault || error instanceof ConfigurationError;
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
  process.stderr.write(`${text?.trim()}\n`);
  process.exit(1);
}

await main().catch(fail);
