import { runAlone } from '#libs/services';
import { worker } from './service.js';

await runAlone(worker);
