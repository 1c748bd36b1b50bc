import { fastify } from 'fastify';
import { type Dispatcher, Pool } from 'undici';

/** The minimal proxy: a Fastify route that passes a request to undici's dispatcher and returns the answer. */
const upstream = new Pool(process.env.UPSTREAM_URL!, { connections: 128, pipelining: 1 });
const app = fastify();

app.get('/v2.0/whois/live', (request, reply) => {
  reply.hijack();
  const response = reply.raw;
  const chunks: Buffer[] = [];
  const handler = {
    onConnect: () => {},
    onHeaders: (status: number) => {
      response.statusCode = status;
      return true;
    },
    onData: (chunk: Buffer) => {
      chunks.push(chunk);
      return true;
    },
    onComplete: () => {
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      response.writeHead(response.statusCode, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      response.end(body);
    },
    onError: () => response.destroy(),
  };
  upstream.dispatch(
    { method: 'GET', path: request.raw.url!, headers: ['accept', 'application/json'] },
    handler as unknown as Dispatcher.DispatchHandler,
  );
});

process.send!({ port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port) });
