import { Command } from 'commander';
import { ConfigurationError, loadConfig, monotonicMs, settingsOf } from '#libs/platform';
import { StartFault } from '../../solo/src/checks/start-fault.js';
import { announcement } from './announcement/box.js';
import { ClusterConfig } from './cluster.config.js';
import { type RunningCluster, startCluster } from './cluster.js';

const STOPPING =
  'Stopping … a few seconds; half a minute while requests are under way. A second Ctrl-C ends it at once.\n';

/** `npm run cluster`: every service a process of its own, until a signal ends them. */
async function main(): Promise<void> {
  const started = monotonicMs();
  const settings = { ...process.env, ...readCommandLine() };
  const { dataFolder, gateways, apiPort, dashboardPort } = loadConfig(ClusterConfig, settings);
  process.stdout.write('Starting …\n');
  const cluster = await startCluster({
    folder: dataFolder,
    gateways,
    firstPorts: { api: apiPort, dashboard: dashboardPort },
    // Elsewhere the system does not spread connections over listeners of one port.
    onePort: gateways > 1 && process.platform === 'linux',
  });
  stopAtSignal(cluster);
  process.stdout.write(announcement(cluster.facts, (monotonicMs() - started) / 1000));
}

/** One option for what is changed most; the other settings are named by the help. */
function readCommandLine(): Record<string, string> {
  const settings = settingsOf(ClusterConfig);
  const width = Math.max(...settings.map(({ env }) => env.length));
  const defaults = new Map(Object.entries(new ClusterConfig()));
  const lines = settings.map(
    ({ env, about, property }) =>
      `  ${env.padEnd(width)}  ${about} Default: ${defaults.get(property)}`,
  );
  const { gateways } = new Command('npm run cluster --')
    .description('every service a process of its own, with PostgreSQL, Kafka and Valkey')
    .option('--gateways <number>', 'how many gateways; wins over CLUSTER_GATEWAYS')
    .addHelpText('after', `\nSettings, as environment variables:\n${lines.join('\n')}`)
    .showHelpAfterError('"npm run cluster -- --help" lists the option and the settings.')
    .parse()
    .opts<{ gateways?: string }>();
  return gateways === undefined ? {} : { CLUSTER_GATEWAYS: gateways };
}

/** The first signal drains everything in order; a second one ends this process, and with it all others. */
function stopAtSignal(cluster: RunningCluster): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    process.stdout.write(STOPPING);
    await cluster.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop().catch(fail));
  }
}

function fail(error: unknown): void {
  const isExpected = error instanceof StartFault || error instanceof ConfigurationError;
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
  process.stderr.write(`${text?.trim()}\n`);
  process.exit(1);
}

await main().catch(fail);
