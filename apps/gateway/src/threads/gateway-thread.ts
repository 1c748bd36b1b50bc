import { parentPort, workerData } from 'node:worker_threads';
import {
  Health,
  Logger,
  Metrics,
  SystemClock,
  TelemetryConfig,
  loadConfig,
  openTraces,
} from '#libs/platform';
import { openGateway } from '../open-gateway.js';
import type { RunningGateway } from '../start.js';
import type {
  ThreadAnswers,
  ThreadData,
  ThreadMessage,
  ThreadQuestion,
} from './thread-messages.js';

/** The entry of a worker thread: a gateway that answers its main thread's questions. */
const port = parentPort!;
const say = (message: ThreadMessage) => port.postMessage(message);

// A thread has modules of its own: what the main one opened records nothing here.
const telemetry = loadConfig(TelemetryConfig);
const logger = new Logger('gateway', undefined, telemetry.logLevel);
const { config, events, share } = workerData as ThreadData;
const traces = await openTraces(telemetry);
try {
  const gateway = await openGateway({
    config,
    events,
    share,
    logger,
    clock: new SystemClock(),
    onDeath: (error) => say({ kind: 'failed', reason: error.message }),
  });
  port.on('message', (asked: ThreadQuestion) => void answer(gateway, asked));
  say({ kind: 'up', apiUrl: gateway.apiUrl, dashboardUrl: gateway.dashboardUrl });
} catch (error) {
  say({ kind: 'failed', reason: reasonOf(error) });
  port.close();
}

async function answer(gateway: RunningGateway, { id, question }: ThreadQuestion): Promise<void> {
  try {
    say({ kind: 'answer', id, answer: await answers[question](gateway) });
  } catch (error) {
    say({ kind: 'answer', id, fault: reasonOf(error) });
  }
  if (question === 'drain') port.close();
}

const answers: {
  [Q in keyof ThreadAnswers]: (gateway: RunningGateway) => Promise<ThreadAnswers[Q]>;
} = {
  readiness: async ({ app }) => app.get(Health, { strict: false }).readiness(),
  metrics: async ({ app }) => app.get(Metrics, { strict: false }).snapshot(),
  drain: async (gateway) => {
    await gateway.stop();
    await traces.close();
    return 'drained';
  },
};

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause ? `: ${reasonOf(error.cause)}` : '';
  return text + cause;
}
