import { type Service, started } from '#libs/services';
import { urlSettingOf } from '#libs/platform';
import { CorpusConfig } from './corpus.config.js';
import { CONTROLLERS } from './corpus.module.js';
import { distribution } from './migrations/distribution.js';
import { migrations } from './migrations/index.js';
import { JOBS, startCorpus } from './start.js';

/** What is known of domain names over time: history and searches. */
export const corpus: Service<CorpusConfig> = {
  name: 'corpus',
  config: CorpusConfig,
  listeners: [{ port: 'CORPUS_PORT' }],
  urlSetting: urlSettingOf('corpus'),
  // Files of sources.
  outwardPorts: [443],
  // Writers, searches, maintenance.
  connections: [4, 'CORPUS_SEARCHES', 2],
  migrations,
  extensions: ['pg_trgm'],
  distribution,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => started(await startCorpus(given)),
};
