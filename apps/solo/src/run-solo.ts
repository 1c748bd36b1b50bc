import { flushCompileCache } from 'node:module';
import { Command } from 'commander';
import { ConfigurationError, loadConfig, monotonicMs } from '#libs/platform';
import { announcement } from './announcement/box.js';
import { openLog } from './announcement/solo-log.js';
import { hasInternet } from './checks/internet.js';
import { checkFolderWritable } from './checks/machine-checks.js';
import { StartFault } from './checks/start-fault.js';
import { DataFolder } from './data-folder/data-folder.js';
import { checkSettings, unusedSettings } from './services/solo-settings.js';
import { SoloConfig } from './solo.config.js';
import { type RunningSolo, startSolo } from './solo.js';
import { inventedNames } from './services/corpus-seed.js';

const NO_INTERNET =
  'This machine has no internet connection: test keys work, live keys cannot look names up. To simulate the registries: npm start -- --offline\n';

/**
 * The setting with which the corpus does not store simulated answers, because a later start without
 * `--offline` would serve them as real ones.
 */
const NOT_STORED = { LOOKUP_KEEP: 'none' };

const INTERRUPTED = 130;

const STOPPING =
  'Stopping … this takes a few seconds, or up to half a minute if requests are running. A second Ctrl-C stops at once.\n';

/**
 * Runs `npm start`: everything in this process until a signal ends it.
 * @param started the time of the start, in `monotonicMs`; by default, now.
 */
export async function runSolo(
  argv: string[],
  environment: Record<string, string | undefined>,
  started = monotonicMs(),
): Promise<void> {
  const interruption = new AbortController();
  const stop = stopAtSignal(interruption);
  try {
    checkSettings(environment);
    const config = loadConfig(SoloConfig, environment);
    const { offline } = new Command('npm start --')
      .description('the whole product in one process, with its own database')
      .option('--offline', 'look names up at the registry simulator', config.offline)
      .parse(argv)
      .opts<{ offline: boolean }>();
    const folder = new DataFolder(config.dataFolder);
    checkFolderWritable(folder);
    const log = openLog(folder.file('solo.log'));
    for (const line of unusedSettings(environment)) say(line);
    const online = offline ? Promise.resolve(true) : hasInternet();
    const solo = await startSolo({
      ...config,
      offline,
      log,
      environment: offline ? { ...NOT_STORED, ...environment } : environment,
      progress: say,
      signal: interruption.signal,
    });
    stop.whenAsked(async () => {
      await solo.stop();
      await log.close();
    });
    process.stdout.write(announcement(solo.facts, (monotonicMs() - started) / 1000));
    if (!(await online)) process.stdout.write(NO_INTERNET);
    // Otherwise, Node would write thousands of files when the process exits.
    flushCompileCache();
    await fillDemo(solo);
    const isFilled = inventedNames(folder) >= config.offlineNames;
    if (offline && !isFilled) await fillCorpus(solo, config.offlineNames);
  } catch (error) {
    if (interruption.signal.aborted) {
      say('Stopped before the start was complete; nothing incomplete is left behind.');
      process.exit(INTERRUPTED);
    }
    process.stderr.write(`${startFaultText(error)}\n`);
    process.exit(1);
  }
}

async function fillDemo(solo: RunningSolo): Promise<void> {
  try {
    if (await solo.fillDemo())
      say(
        'The demo account has a plan, invoices, jobs, monitors and, within a minute, 30 days of usage.',
      );
  } catch (error) {
    say(`The demo account could not be filled: ${faultText(error)}`);
  }
}

/** Adds invented names in the background, so that history and searches have results. */
async function fillCorpus(solo: RunningSolo, names: number): Promise<void> {
  say(`Adding ${grouped(names)} invented names for history and searches in the background.`);
  try {
    const added = await solo.fillCorpus(names);
    if (added > 0)
      say(
        `${grouped(added)} invented names added. Today's database files, which are built tomorrow, will contain them.`,
      );
  } catch (error) {
    say(`No more invented names could be added: ${faultText(error)}`);
  }
}

const grouped = (count: number) => count.toLocaleString('en-US');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Stops at signals. The first signal aborts a start, or drains everything in order once the start is complete; a second
 * signal ends the process at once.
 */
function stopAtSignal(interruption: AbortController) {
  let drain: (() => Promise<void>) | undefined;
  const stop = async () => {
    if (interruption.signal.aborted) process.exit(1);
    interruption.abort(new Error('interrupted'));
    if (!drain) return;
    process.stdout.write(STOPPING);
    try {
      await drain();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`${faultText(error)}\n`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
  return { whenAsked: (work: () => Promise<void>) => (drain = work) };
}

function startFaultText(error: unknown): string {
  if (error instanceof StartFault || error instanceof ConfigurationError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'The disk is full. Free some space and start again.';
  return `The start failed: ${faultText(error)}\n"npm run doctor" checks this machine; the log in the data folder says more.`;
}

const faultText = (error: unknown) =>
  error instanceof Error ? `${error.message}${causeText(error)}` : String(error);

function causeText(error: Error): string {
  return error.cause instanceof Error ? `: ${error.cause.message}${causeText(error.cause)}` : '';
}
