import { EventsConfig, openTransport } from '#libs/messaging';
import { Logger, loadConfig } from '#libs/platform';
import { consume } from './event-line.js';

/** A process that consumes events. */
const [url] = process.argv.slice(2);
const logger = new Logger('bench', process.stderr, 'error');
const consumers = { account: ['entitlement'] } as const;
await consume(openTransport({ config: loadConfig(EventsConfig), logger, consumers }), url);
process.send!('up');
