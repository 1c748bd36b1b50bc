import { urlSettingOf } from '#libs/platform';
import { type Service, started } from '#libs/services';
import { LookupConfig } from './lookup.config.js';

export const lookup: Service<LookupConfig> = {
  name: 'lookup',
  config: LookupConfig,
  listeners: [{ port: 'LOOKUP_PORT' }],
  urlSetting: urlSettingOf('lookup'),
  // For port-43 WHOIS, DNS and RDAP.
  outwardPorts: [43, 53, 443],
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./lookup.module.js');
    const { startLookup } = await import('./start.js');
    return { controllers, jobs: [], start: async (given) => started(await startLookup(given)) };
  },
};
