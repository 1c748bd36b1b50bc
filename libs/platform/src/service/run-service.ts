import { flushCompileCache } from 'node:module';
import { type Clock, SystemClock } from '../clock.js';
import { type ConfigClass, ConfigurationError, type Loaded, loadConfigs } from '../config.js';
import { followFiles } from '../follow-files.js';
import { TelemetryConfig } from '../telemetry/telemetry.config.js';
import { openTraces } from '../telemetry/traces.js';
import { Logger } from '../logger.js';

export interface ProcessContext<C extends readonly ConfigClass<object>[]> {
  /** One instance of each given class, in order. */
  configs: Loaded<C>;
  clock: Clock;
  logger: Logger;
}

export interface StartedProcess {
  /** The service's addresses, by name; logged when it is up. */
  addresses: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Runs a process that is one service. It reads the settings and reports every fault before anything starts, starts the
 * service and logs `<name> is up` with its addresses. At SIGTERM or SIGINT it drains the service and exits with code 0,
 * at once if the service is not up yet; a second signal ends the process at once. A fault at the start or during a drain
 * gives one line in the log and exit code 1.
 */
export async function runService<const C extends readonly ConfigClass<object>[]>(
  name: string,
  configClasses: C,
  start: (context: ProcessContext<C>) => Promise<StartedProcess>,
): Promise<void> {
  let logger = new Logger(name);
  const starting = endAtSignal((signal) => logger.info(`${name} ends before it is up`, { signal }));
  try {
    const [telemetry, ...own] = loadConfigs([TelemetryConfig, ...configClasses]);
    const configs = own as unknown as Loaded<C>;
    logger = new Logger(name, undefined, telemetry.logLevel);
    const traces = await openTraces(telemetry);
    const following = followFiles(own, { logger });
    const { addresses, stop } = await start({ configs, clock: new SystemClock(), logger });
    // With a compile cache, Node would otherwise write thousands of files when the process exits, which took more than
    // 40 s on a busy disk.
    flushCompileCache();
    const started = {
      addresses,
      stop: async () => {
        await following.stop();
        await stop();
        await traces.close();
      },
    };
    starting.isOver();
    stopAtSignal(name, started, logger);
    logger.info(`${name} is up`, { ...started.addresses, pid: process.pid });
  } catch (error) {
    logger.error(`${name} cannot start: ${faultText(error)}`);
    process.exit(1);
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process at a signal. Process 1 of a container would ignore a signal without a handler, so it would be killed
 * at the end of its time to stop.
 */
function endAtSignal(tell: (signal: string) => void) {
  const end = (signal: string) => {
    tell(signal);
    // If a fault caused the signal, the exit code is already set.
    process.exit();
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return { isOver: () => SIGNALS.forEach((signal) => process.off(signal, end)) };
}

function stopAtSignal(name: string, started: StartedProcess, logger: Logger): void {
  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info(`${name} drains`, { signal });
    try {
      await started.stop();
      logger.info(`${name} has stopped`);
      // If a fault caused the stop, the exit code is already set.
      process.exit();
    } catch (error) {
      logger.error(`${name} did not stop cleanly`, error);
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void stop(signal));
}

/** Returns a fault in one line, with its causes; for settings, the whole list. */
function faultText(error: unknown): string {
  if (error instanceof ConfigurationError) return `settings: ${error.faults.join(' · ')}`;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  // An AggregateError of several refused addresses has no message.
  const own = error.message || code || error.name;
  return error.cause instanceof Error ? `${own}: ${faultText(error.cause)}` : own;
}
