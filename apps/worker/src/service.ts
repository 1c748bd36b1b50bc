import { urlSettingOf } from '#libs/platform';
import { type Service, type ServiceCode, startWithMail } from '#libs/services';
import { migrations } from './migrations/index.js';
import { WorkerConfig } from './worker.config.js';

export const worker: Service<WorkerConfig> = {
  name: 'worker',
  config: WorkerConfig,
  listeners: [{ port: 'WORKER_PORT' }],
  urlSetting: urlSettingOf('worker'),
  // The port of webhooks.
  outwardPorts: [443],
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE'],
  migrations,
  usesFiles: true,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./worker.module.js');
    const { JOBS: jobs, startWorker } = await import('./start.js');
    const start: ServiceCode<WorkerConfig>['start'] = async ({ files, ...given }) =>
      startWithMail(given, async (options) => startWorker({ ...options, files: files! }));
    return { controllers, jobs, start };
  },
};
