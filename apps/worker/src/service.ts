import { urlSettingOf } from '#libs/platform';
import { type Service, startWithMail } from '#libs/services';
import { migrations } from './migrations/index.js';
import { JOBS, startWorker } from './start.js';
import { WorkerConfig } from './worker.config.js';
import { CONTROLLERS } from './worker.module.js';

/** Work that takes longer than a request: jobs over many names. */
export const worker: Service<WorkerConfig> = {
  name: 'worker',
  config: WorkerConfig,
  listeners: [{ port: 'WORKER_PORT' }],
  urlSetting: urlSettingOf('worker'),
  // Webhooks.
  outwardPorts: [443],
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE'],
  migrations,
  usesFiles: true,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => startWithMail(given, startWorker),
};
