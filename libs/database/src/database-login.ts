import pg from 'pg';

/**
 * A URL of PostgreSQL, or two on a line each while a role's password is changed: both are tried, the first one first.
 * A function says it for every connection anew.
 */
export type DatabaseAddress = string | (() => string);

const INVALID_PASSWORD = '28P01';
const TRIAL_LIMIT_MS = 5_000;

/** The URL for a connection that begins now. */
export function urlNow(address: DatabaseAddress): string {
  const [url] = urlsOf(address);
  return url;
}

/** A `pg.Client` for pools that connects with what the address says at that moment. */
export function clientFor(address: DatabaseAddress): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const urls = urlsOf(address);
      super({ ...config, connectionString: urls[0] });
      if (urls.length > 1) this.password = (() => passwordOf(urls)) as unknown as string;
    }
  };
}

function urlsOf(address: DatabaseAddress): string[] {
  const text = typeof address === 'string' ? address : address();
  return text.split('\n').map((line) => line.trim());
}

/** The first password that the server takes; only while there are two is it asked beforehand. */
async function passwordOf(urls: string[]): Promise<string> {
  for (const url of urls) {
    const trial = new pg.Client({ connectionString: url, connectionTimeoutMillis: TRIAL_LIMIT_MS });
    trial.on('error', () => {});
    try {
      await trial.connect();
      return passwordIn(url);
    } catch (error) {
      if ((error as { code?: string }).code !== INVALID_PASSWORD) break;
    } finally {
      await trial.end().catch(() => {});
    }
  }
  return passwordIn(urls[0]);
}

const passwordIn = (url: string) =>
  decodeURIComponent(new URL(url.replace('@/', '@localhost/')).password);
