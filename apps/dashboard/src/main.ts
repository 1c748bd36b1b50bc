import { runAlone } from '#libs/services';
import { dashboard } from './service.js';

await runAlone(dashboard);
