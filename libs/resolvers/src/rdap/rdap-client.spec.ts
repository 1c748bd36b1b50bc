import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { RdapClient, retryAfterSeconds, type RdapLimits } from './rdap-client.js';

const host = 'rdap.nic.example';
const url = `https://${host}/domain/a.example`;
const object = JSON.stringify({ objectClassName: 'domain', ldhName: 'a.example' });

let internet: LoopbackInternet;
let clients: RdapClient[];
beforeEach(() => {
  internet = new LoopbackInternet();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await internet.close();
});

/** The time limits are long, so that a busy machine does not matter; tests of a limit set their own. */
const patient = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };

function fetch(limits: Partial<RdapLimits> = {}, signal?: AbortSignal) {
  const client = new RdapClient(internet.connector(), { ...patient, ...limits });
  clients.push(client);
  return client.fetch(url, signal === undefined ? {} : { signal });
}

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  return internet.rdap(host, (_request, response) => {
    response.writeHead(status, headers).end(body);
  });
}

function redirectingTo(location: string): RequestListener {
  return (_request, response) => void response.writeHead(302, { location }).end();
}

describe('RdapClient', () => {
  it('reads an object with any media type', async () => {
    await answering(200, `\ufeff${object}`, { 'content-type': 'text/plain' });
    expect(await fetch()).toMatchObject({ kind: 'object', json: { ldhName: 'a.example' } });
    expect(internet.asked).toEqual([`${host} /domain/a.example`]);
  });

  it.each([
    ['a web page with status 200', 200, '<html>Not found</html>', 'not_rdap'],
    ['a web page with status 404', 404, '<html>Not found</html>', 'not_rdap'],
    ['another API with status 404', 404, '{"message":"Not Found"}', 'not_rdap'],
    ['an error code of another API', 404, '{"errorCode":404,"message":"Not Found"}', 'not_rdap'],
    ['an empty body of a web server', 404, '', 'not_rdap'],
    ['an empty object of an API', 404, '{}', 'not_rdap'],
    ['an array', 200, '[]', 'not_rdap'],
    ['half an object', 200, object.slice(0, 20), 'not_rdap'],
    ['nothing with status 200', 200, '', 'not_rdap'],
    ['a refusal', 403, object, 'http_403'],
    ['a failure', 500, '', 'http_500'],
    ['an error within status 200', 200, '{"errorCode":501}', 'http_501'],
  ])('%s is not an answer', async (_what, status, body, fault) => {
    await answering(status, body);
    expect(await fetch()).toEqual({ kind: 'failed', status, fault });
  });

  it.each([
    ['an RDAP error', 404, '{"errorCode":404,"title":"Not Found"}', {}],
    ['an RDAP error by media type', 404, '{}', { 'content-type': 'application/rdap+json' }],
    ['an empty body of that type', 404, '', { 'content-type': 'application/rdap+json' }],
    ['the error code 404 within status 200', 200, '{"errorCode":404}', {}],
  ])('%s means "not found"', async (_what, status, body, headers) => {
    await answering(status, body, headers);
    expect(await fetch()).toMatchObject({ kind: 'not_found' });
  });

  it('a gateway’s page is not an answer, whatever its media type', async () => {
    const pages = ['{"message":"Not Found"}', '{"error":"Not Found"}', '{"detail":"Not Found"}'];
    for (const page of pages) {
      await answering(404, page, { 'content-type': 'application/rdap+json' });
      expect(await fetch()).toMatchObject({ kind: 'failed', fault: 'not_rdap' });
    }
  });

  describe('an empty 404 without a media type', () => {
    const help = JSON.stringify({ rdapConformance: ['rdap_level_0'], notices: [] });
    const absent = (_request: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(404).end();
    const asking = (client: RdapClient, name: string, base = `https://${host}/v1/`) =>
      client.fetch(`${base}domain/${name}`);
    const newClient = () => {
      const client = new RdapClient(internet.connector(), patient);
      clients.push(client);
      return client;
    };

    it('means "not found" if the help at the same base URL comes from an RDAP service', async () => {
      await internet.rdap(host, (request, response) =>
        request.url === '/v1/help' ? void response.end(help) : absent(request, response),
      );
      const client = newClient();
      expect(await asking(client, 'a.example')).toMatchObject({ kind: 'not_found' });
      expect(await asking(client, 'b.example')).toMatchObject({ kind: 'not_found' });
      expect(internet.asked.map((it) => it.split(' ')[1])).toEqual([
        '/v1/domain/a.example',
        '/v1/help',
        '/v1/domain/b.example',
      ]);
      const wrong = `https://${host}/v0/`;
      expect(await asking(client, 'a.example', wrong)).toMatchObject({ kind: 'failed' });
    });

    it('causes one query for the help for all waiting callers', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `name-${index}.example`);
      const asked = { names: 0, helps: new Array<ServerResponse>() };
      await internet.rdap(host, (request, response) => {
        if (request.url === '/v1/help') asked.helps.push(response);
        else asked.names += 1;
        if (request.url !== '/v1/help') absent(request, response);
        // The help is answered once all names have been queried. A second query for the help would arrive before that.
        if (asked.names < names.length && asked.helps.length < 2) return;
        for (const waiting of asked.helps) waiting.end(help);
      });
      const client = newClient();
      const answers = await Promise.all(names.map((name) => asking(client, name)));
      expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['not_found']));
      expect(internet.asked.filter((it) => it.endsWith('/help'))).toHaveLength(1);
    });

    it('means "not found" if an RDAP object came from the same base URL', async () => {
      const found = JSON.stringify({ ...JSON.parse(object), rdapConformance: ['rdap_level_0'] });
      await internet.rdap(host, (request, response) =>
        request.url === '/v1/domain/a.example'
          ? void response.end(found)
          : absent(request, response),
      );
      const client = newClient();
      expect(await asking(client, 'b.example')).toMatchObject({ kind: 'failed' });
      expect(await asking(client, 'a.example')).toMatchObject({ kind: 'object' });
      expect(await asking(client, 'b.example')).toMatchObject({ kind: 'not_found' });
    });

    it('means nothing if the help is a page, an error or missing', async () => {
      const conformances = ['null', '[]', '"rdap_level_0"', '[1]'];
      const similar = conformances.map((value) => `{"rdapConformance":${value}}`);
      for (const answer of ['<html>', '{"name":"gateway"}', '', ...similar]) {
        await internet.close();
        internet = new LoopbackInternet();
        await internet.rdap(host, (request, response) =>
          request.url === '/v1/help' ? void response.end(answer) : absent(request, response),
        );
        expect(await asking(newClient(), 'a.example')).toMatchObject({ fault: 'not_rdap' });
      }
    });

    it.each([429, 503, 302])(
      'means "not found" once the help is available, even if the help answered %d before',
      async (status) => {
        let helped = status;
        await internet.rdap(host, (request, response) =>
          request.url === '/v1/help'
            ? void response.writeHead(helped, { location: '/' }).end(help)
            : absent(request, response),
        );
        const client = newClient();
        expect(await asking(client, 'a.example')).toMatchObject({ fault: 'not_rdap' });
        helped = 200;
        expect(await asking(client, 'a.example')).toMatchObject({ kind: 'not_found' });
      },
    );
  });

  describe('a 404', () => {
    const type = { 'content-type': 'application/rdap+json' };
    const names = ['rdap_level_0'];

    it.each([
      ['/error', '{"errorCode":404,"title":"Endpoint not found"}'],
      ['/v1/domain/b.example', '{"errorCode":404,"title":"b.example not found"}'],
      ['/v1/domain/b.example', '{"errorCode":404,"title":"Not Found"}'],
      ['/v1/domain/b.example', ''],
      ['/v2/domain?name=a.example', '{"errorCode":404,"title":"a.example not found"}'],
      ['/v1/domain/a.example/more', '{"errorCode":404,"title":"Not Found"}'],
      ['/gone', '{"errorCode":404,"title":"Not Found"}'],
      ['/gone', '{"errorCode":404,"title":"This name is reserved"}'],
      ['/gone', '{}'],
      ['/gone', ''],
    ])('is not an answer about the name after a redirect to %s: %j', async (location, body) => {
      await internet.rdap(host, (request, response) =>
        request.url === '/domain/a.example'
          ? redirectingTo(location)(request, response)
          : void response.writeHead(404, type).end(body),
      );
      expect(await fetch()).toEqual({ kind: 'failed', status: 404, fault: 'refused' });
    });

    it.each(['A.example', '%61.example', 'a.example.'])(
      'is an answer after a redirect to the same name elsewhere: %s',
      async (name) => {
        await internet.rdap('rdap.other.example', (_request, response) => {
          response.writeHead(404, type).end();
        });
        await internet.rdap(host, redirectingTo(`https://rdap.other.example/v1/domain/${name}`));
        expect(await fetch()).toMatchObject({ kind: 'not_found' });
      },
    );

    it.each(['', '{"errorCode":404,"title":"Not Found"}'])(
      'is a rate limit if it states when to retry: %j',
      async (body) => {
        await answering(404, body, { ...type, 'retry-after': '30' });
        expect(await fetch()).toEqual({ kind: 'throttled', status: 404, retryAfterSeconds: 30 });
      },
    );

    it('is not an answer if it is cut off after the headers', async () => {
      await internet.rdap(host, ({ socket }) => {
        const lines = ['HTTP/1.1 404 Not Found', 'content-type: application/rdap+json', '', ''];
        socket.end(lines.join('\r\n'));
      });
      expect(await fetch()).toEqual({ kind: 'failed', status: 404, fault: 'not_rdap' });
    });

    it.each(['text/html', 'application/json', 'application/rdap+jsonp'])(
      'without a body is not an answer as %s, even from a known service',
      async (mediaType) => {
        await internet.rdap(host, (request, response) =>
          request.url === '/help'
            ? void response.end(JSON.stringify({ rdapConformance: names }))
            : void response.writeHead(404, { 'content-type': mediaType }).end(),
        );
        expect(await fetch()).toEqual({ kind: 'failed', status: 404, fault: 'not_rdap' });
      },
    );
  });

  it.each([
    ['Rate limit exceeded', { kind: 'throttled', status: 404 }],
    ['The service is under maintenance', { kind: 'failed', status: 404, fault: 'outage' }],
    ['TLD not supported', { kind: 'failed', status: 404, fault: 'refused' }],
    ['b.example not found', { kind: 'failed', status: 404, fault: 'refused' }],
    ['a.example is reserved', { kind: 'not_found', status: 404, text: expect.any(String) }],
  ])('an RDAP error that says %j is reported as what it says', async (description, answer) => {
    await answering(404, JSON.stringify({ errorCode: 404, title: 'Not Found', description }));
    expect(await fetch()).toEqual(answer);
  });

  it.each([
    [429, {}, undefined],
    [429, { 'retry-after': '90' }, 90],
    [429, { 'retry-after': 'soon' }, undefined],
    [429, { 'retry-after': '-1' }, undefined],
    [503, { 'retry-after': '5' }, 5],
  ])('status %d with %j is a throttle', async (status, headers, seconds) => {
    await answering(status, '{"errorCode":404}', headers as Record<string, string>);
    expect(await fetch()).toEqual({
      kind: 'throttled',
      status,
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    });
  });

  it('S59: three redirects are followed, but not a fourth', async () => {
    await internet.rdap(host, (request, response) => {
      const hop = Number(new URL(request.url ?? '', url).searchParams.get('hop') ?? 0);
      response.writeHead(302, { location: `?hop=${hop + 1}` }).end();
    });
    expect(await fetch()).toMatchObject({ kind: 'failed', fault: 'too_many_redirects' });
    expect(internet.asked).toHaveLength(4);
  });

  it('S59: a redirect to another service is followed', async () => {
    await internet.rdap('rdap.other.example', (_request, response) => void response.end(object));
    await internet.rdap(host, redirectingTo('https://rdap.other.example/domain/a.example'));
    expect(await fetch()).toMatchObject({ kind: 'object' });
  });

  it.each([
    ['http', `http://${host}/domain/a.example`],
    ['another port', `https://${host}:8443/`],
    ['a private address', 'https://10.0.0.1/'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data/'],
    ['loopback in an unusual form', 'https://0x7f.1/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['a name without a dot', 'https://localhost/'],
    ['credentials', `https://user:secret@${host}/`],
    ['another scheme', 'file:///etc/passwd'],
  ])('S59: a redirect to %s is refused', async (_what, location) => {
    await internet.rdap(host, redirectingTo(location));
    expect(await fetch()).toEqual({ kind: 'failed', status: 0, fault: 'bad_redirect' });
    expect(internet.asked).toHaveLength(1);
  });

  it('S59: a redirect to a host that does not resolve to a public address is a fault', async () => {
    await internet.rdap(host, redirectingTo('https://rdap.private.example/'));
    await expect(fetch()).rejects.toMatchObject({ fault: 'unresolved' });
  });

  it('S63: at most 2 MiB of an answer are read', async () => {
    const letters = (count: number) => JSON.stringify({ a: 'x'.repeat(count) });
    await answering(200, letters(2 * 1024 * 1024 - 8));
    expect(await fetch()).toMatchObject({ kind: 'object' });
    await internet.close();
    internet = new LoopbackInternet();
    await answering(200, letters(2 * 1024 * 1024));
    expect(await fetch()).toMatchObject({ kind: 'failed', fault: 'too_large' });
  });

  it('S63: a compressed answer, which could unpack to any size, is not unpacked', async () => {
    await answering(200, '\x1f\x8b\x08\0', { 'content-encoding': 'gzip' });
    expect(await fetch()).toMatchObject({ fault: 'not_rdap' });
  });

  it('S63: by default, connecting takes at most 5 s, the first byte 8 s, and the whole answer 15 s', () => {
    const limits = { connectMs: 5_000, firstByteMs: 8_000, wholeMs: 15_000, redirects: 3 };
    clients.push(new RdapClient(internet.connector()));
    expect(clients).toMatchObject([{ limits }]);
  });

  it('S63: a silent service is abandoned when the time limit for the first byte has passed', async () => {
    await internet.rdap(host, () => undefined);
    await expect(fetch({ firstByteMs: 50 })).rejects.toMatchObject({ fault: 'first_byte_timeout' });
  });

  it('S63: a service that sends bytes slowly without end is abandoned when the time limit has passed', async () => {
    const drip = (response: ServerResponse) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    };
    await internet.rdap(host, (_request, response) => {
      response.writeHead(200);
      drip(response);
    });
    const fetching = fetch({ wholeMs: 150 });
    await expect(fetching).rejects.toMatchObject({ fault: 'answer_timeout' });
  });

  it('a service that does not speak HTTP, or sends headers that are too long, is a fault', async () => {
    await internet.rdap(host, (request) => void request.socket.end('NOT HTTP AT ALL\r\n\r\n'));
    await expect(fetch()).rejects.toMatchObject({ fault: 'protocol_error' });
    await internet.close();
    internet = new LoopbackInternet();
    await answering(200, object, { 'x-long': 'x'.repeat(100_000) });
    await expect(fetch()).rejects.toMatchObject({ fault: 'protocol_error' });
  });

  it('a service that disconnects midway is a fault', async () => {
    await internet.rdap(host, (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    await expect(fetch()).rejects.toMatchObject({ fault: 'reset' });
  });

  it('the queries that the limiter lets through do not wait for one another', async () => {
    const waiting: ServerResponse[] = [];
    await internet.rdap(host, (_request, response) => {
      if (waiting.push(response) === 64) for (const one of waiting) one.end(object);
    });
    const client = new RdapClient(internet.connector(), patient);
    clients.push(client);
    const answers = await Promise.all(Array.from({ length: 64 }, () => client.fetch(url)));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['object']));
  });

  it('a cancelled query is reported as a separate kind of fault', async () => {
    const controller = new AbortController();
    await internet.rdap(host, () => controller.abort());
    await expect(fetch({}, controller.signal)).rejects.toMatchObject({ fault: 'cancelled' });
  });

  it('S69: a member named __proto__ changes nothing', async () => {
    await answering(200, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(await fetch()).toMatchObject({ kind: 'object' });
    expect('polluted' in {}).toBe(false);
  });

  it('an object that is nested too deeply to be serialised is rejected', async () => {
    await answering(200, `{"ldhName":"a.example","a":${'['.repeat(63)}${']'.repeat(63)}}`);
    expect(await fetch()).toMatchObject({ kind: 'object' });
    await answering(200, `{"ldhName":"a.example","a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
    expect(await fetch()).toMatchObject({ kind: 'failed', fault: 'not_rdap' });
  });
});

describe('retryAfterSeconds', () => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
  it.each([
    ['120', 120],
    ['Sat, 21 Nov 2026 10:01:30 GMT', 90],
    ['Sat, 21 Nov 2026 09:00:00 GMT', undefined],
    ['soon', undefined],
    ['1e9', undefined],
    ['', undefined],
  ])('%j means %s seconds', (field, seconds) => {
    expect(retryAfterSeconds(field, date)).toBe(seconds);
  });

  it('ignores a date if the server does not send its own date', () => {
    expect(retryAfterSeconds('Sat, 21 Nov 2026 10:01:30 GMT', undefined)).toBeUndefined();
  });
});
