import pg from 'pg';
import { READ_ONLY_TRANSACTION } from './database-failure.js';

/**
 * A PostgreSQL URL, or two lines with a URL each while a role's password is changed; the first URL is tried first. A
 * function can replace the string; it is called for each new connection.
 */
export type DatabaseAddress = string | (() => string);

const INVALID_PASSWORD = '28P01';
/** The code of a protocol violation. PgBouncer also uses it to report a wrong password. */
const PROTOCOL_VIOLATION = '08P01';
const TRIAL_LIMIT_MS = 5_000;

export function urlNow(address: DatabaseAddress): string {
  const [url] = urlsOf(address);
  return url;
}

/**
 * Returns a class of clients for pools. Each client connects with the current address and, if there are two, with the
 * first password that the server accepts.
 */
export function clientFor(address: DatabaseAddress): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const urls = urlsOf(address);
      super({ ...config, connectionString: urls[0] });
      if (urls.length > 1) this.password = (() => passwordOf(urls)) as unknown as string;
      // The pool removes its listener when it hands the connection out, and TypeORM adds its own a little later. An
      // error in between would end the process, for example if the server closes the connection in the same packet as
      // its greeting. The next statement fails anyway.
      this.on('error', () => {});
      // A primary that becomes a standby may keep its connections. As long as they were used, they would never leave
      // the pool.
      this.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code === READ_ONLY_TRANSACTION) void this.end();
      });
    }
  };
}

function urlsOf(address: DatabaseAddress): string[] {
  const text = typeof address === 'string' ? address : address();
  return text.split('\n').map((line) => line.trim());
}

/** Returns the first password that the server accepts; the first one if it accepts none or cannot be reached. */
async function passwordOf(urls: string[]): Promise<string> {
  for (const url of urls) {
    const trial = new pg.Client({ connectionString: url, connectionTimeoutMillis: TRIAL_LIMIT_MS });
    trial.on('error', () => {});
    try {
      await trial.connect();
      return passwordIn(url);
    } catch (error) {
      if (!isRefused(error as Error & { code?: string })) break;
    } finally {
      await trial.end().catch(() => {});
    }
  }
  return passwordIn(urls[0]);
}

const passwordIn = (url: string) =>
  decodeURIComponent(new URL(url.replace('@/', '@localhost/')).password);

const isRefused = ({ code, message }: Error & { code?: string }) =>
  code === INVALID_PASSWORD ||
  (code === PROTOCOL_VIOLATION && /authentication failed/i.test(message));
