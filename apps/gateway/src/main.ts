import { runAlone } from '#libs/services';
import { gateway } from './service.js';

await runAlone(gateway);
