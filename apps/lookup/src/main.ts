import { runAlone } from '#libs/services';
import { lookup } from './service.js';

await runAlone(lookup);
