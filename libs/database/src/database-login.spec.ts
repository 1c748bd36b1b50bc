import { once } from 'node:events';
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, EmbeddedServer, IsDatabaseUrl, withClient } from '#libs/database';
import { ConfigurationError, Setting, loadConfig } from '#libs/platform';
import { makeOwnCertificate, waitFor } from '#test/environment';

class OneUrl {
  @Setting({ env: 'A_DATABASE_URL', about: 'A database.', secret: true })
  @IsDatabaseUrl()
  databaseUrl: string;
}

describe('database login', () => {
  const folder = mkdtempSync(join(tmpdir(), 'database-login-'));
  const own = makeOwnCertificate(folder, 'server');
  const other = makeOwnCertificate(folder, 'other');
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await EmbeddedServer.start({ folder, password: 'first', durable: false });
    const data = join(server.folder, 'pgdata');
    const files = { 'server.crt': own.certificateFile, 'server.key': own.keyFile };
    for (const [name, from] of Object.entries(files)) {
      copyFileSync(from, join(data, name));
      chownSync(join(data, name), statSync(data).uid, statSync(data).gid);
    }
    await withClient(server.url(), async (client) => {
      await client.query('alter system set ssl = on');
      await client.query('select pg_reload_conf()');
      await client.query("create role teller login password 'first'");
    });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const urlOf = (password: string, host = '127.0.0.1', query = '') =>
    `postgres://teller:${password}@${host}:${server.port}/postgres${query}`;
  const isEncrypted = (url: string) =>
    withClient(url, async (client) => {
      const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
      return (await client.query<{ ssl: boolean }>(sql)).rows[0].ssl;
    });

  it('S112: verify-full rejects a server with a certificate from another authority or for another name', async () => {
    const verified = (file: string) => `?sslmode=verify-full&sslrootcert=${file}`;
    const trusting = verified(own.certificateFile);
    expect(await isEncrypted(urlOf('first', '127.0.0.1', trusting))).toBe(true);
    const elsewhere = urlOf('first', '127.0.0.1', verified(other.certificateFile));
    await expect(isEncrypted(elsewhere)).rejects.toThrow(/self-signed|unable to verify/);
    await expect(isEncrypted(urlOf('first', 'localhost', trusting))).rejects.toThrow(/altnames/);
  });

  it('a server that ends a connection in its first packet does not end the process', async () => {
    const ready = Buffer.from('5a0000000549', 'hex');
    const fields = 'SFATAL\0C57P01\0Mterminating connection\0\0';
    const ending = Buffer.concat([
      Buffer.from([0x45, 0, 0, 0, fields.length + 4]),
      Buffer.from(fields),
    ]);
    let isEnding = false;
    const between = createServer((client) => {
      const inner = connect(server.port, '127.0.0.1', () => client.pipe(inner));
      inner.on('data', (bytes) => {
        const isWelcome = isEnding && bytes.subarray(-ready.length).equals(ready);
        client.write(isWelcome ? Buffer.concat([bytes, ending]) : bytes);
      });
      for (const socket of [client, inner]) {
        socket
          .on('error', () => {})
          .on('close', () => [client, inner].map((each) => each.destroy()));
      }
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    const database = await Database.open({
      url: server.url().replace(`:${server.port}`, `:${port}`),
      applicationName: 'spec',
    });
    await database.transaction(async (transaction) => {
      await transaction.query('select 1');
      isEnding = true;
      await expect(database.query('select 1')).rejects.toThrow('database');
      isEnding = false;
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
    await database.close();
    between.close();
  });

  const faultsOf = (url: string) => {
    try {
      loadConfig(OneUrl, { A_DATABASE_URL: url });
      return [];
    } catch (error) {
      return (error as ConfigurationError).faults;
    }
  };

  it.each([
    'postgres://a:b@127.0.0.1:5432/c',
    'postgresql://a:b@localhost/c',
    'postgres://a:b@/c?host=/run/postgresql',
    'postgres://a:b@[::1]:5432/c',
    'postgres://a:b@db.example:5432/c?sslmode=verify-full',
    'postgres://a:b@db:5432/c?sslmode=disable',
    'postgres://a:b@db:5432/c?sslmode=disable\npostgres://a:d@db:5432/c?sslmode=disable',
  ])(
    'S112: a URL that leads to this machine, or states how the connection is protected, is accepted: %j',
    (url) => {
      expect(faultsOf(url)).toEqual([]);
    },
  );

  it.each([
    ['postgres://a:b@db.example:5432/c', /must end with \?sslmode=verify-full/],
    ['postgres://a:b@10.0.0.1/c?sslmode=require', /must end with \?sslmode=verify-full/],
    ['postgres://a:b@db/c?sslmode=no-verify', /must end with \?sslmode=verify-full/],
    ['postgres://a:b@localhost/c?host=db.example', /must end with \?sslmode=verify-full/],
    [
      'postgres://a:b@db/c?sslmode=disable\npostgres://a:b@db/c',
      /must end with \?sslmode=verify-full/,
    ],
    ['mysql://a:b@localhost/c', /must be a URL/],
    ['db.example', /must be a URL/],
    [Array(3).fill('postgres://a:b@localhost/c').join('\n'), /2 lines at most/],
  ])(
    'S112: a service does not start with %j, and the message contains no password',
    (url, sentence) => {
      const [fault] = faultsOf(url);
      expect(fault).toMatch(sentence);
      expect(fault).toMatch(/^A_DATABASE_URL: /);
      expect(fault).not.toContain('a:b@');
    },
  );

  it('S113: no connection is refused while a password is changed at the server', async () => {
    let text = urlOf('first');
    const file = join(folder, 'url');
    writeFileSync(file, text);
    const database = await Database.open({
      url: () => text,
      applicationName: 'teller',
      poolSize: 4,
    });
    /** Ends all connections, and sends as many queries at once as the pool has connections. @returns the results. */
    const newConnections = async () => {
      await withClient(server.url(), (client) =>
        client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'teller'",
        ),
      );
      const all = Array.from({ length: 4 }, () => database.query('select pg_sleep(0.01)'));
      return Promise.allSettled(all);
    };
    const change = (password: string) =>
      withClient(server.url(), (client) =>
        client.query(`alter role teller password '${password}'`),
      );
    try {
      text = `${urlOf('first')}\n${urlOf('second')}`;
      await newConnections();
      expect(await refusals(newConnections())).toEqual([]);
      await change('second');
      expect(await refusals(newConnections())).toEqual([]);
      text = urlOf('second');
      expect(await refusals(newConnections())).toEqual([]);
      text = urlOf('first');
      // Queries sent on a connection just before its end report that it was terminated.
      await waitFor('a new connection to be refused', async () =>
        (await refusals(newConnections())).join().includes('password authentication failed'),
      );
    } finally {
      await database.close();
    }
  });
});

/** Lists the server's messages about passwords, without those about terminated connections. */
async function refusals(results: Promise<PromiseSettledResult<unknown>[]>): Promise<string[]> {
  const failed = (await results).filter(({ status }) => status === 'rejected');
  const messages = failed.map((one) => ((one as PromiseRejectedResult).reason as Error).message);
  return messages.filter((message) => message.includes('password'));
}
