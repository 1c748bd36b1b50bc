import { type Service, started } from '#libs/services';
import { urlSettingOf } from '#libs/platform';
import { CorpusConfig } from './corpus.config.js';
import { distribution } from './migrations/distribution.js';
import { migrations } from './migrations/index.js';

export const corpus: Service<CorpusConfig> = {
  name: 'corpus',
  config: CorpusConfig,
  listeners: [{ port: 'CORPUS_PORT' }],
  urlSetting: urlSettingOf('corpus'),
  // Files of sources are read over HTTPS.
  outwardPorts: [443],
  // For writers, searches and maintenance.
  connections: [4, 'CORPUS_SEARCHES', 2],
  migrations,
  extensions: ['pg_trgm'],
  distribution,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./corpus.module.js');
    const { JOBS: jobs, startCorpus } = await import('./start.js');
    return { controllers, jobs, start: async (given) => started(await startCorpus(given)) };
  },
};
