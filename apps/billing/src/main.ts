import { runAlone } from '#libs/services';
import { billing } from './service.js';

await runAlone(billing);
