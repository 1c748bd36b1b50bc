import httpProxy from '@fastify/http-proxy';
import rateLimit from '@fastify/rate-limit';
import { fastify } from 'fastify';

/** A proxy built from existing parts: plugins for proxying and rate limiting, and a check of the key. */
const keys = new Set(JSON.parse(process.env.BENCH_KEYS!) as string[]);
const app = fastify();

await app.register(rateLimit, {
  max: Number(process.env.BENCH_LIMIT),
  timeWindow: 60_000,
  keyGenerator: (request) => (request.query as { apiKey?: string }).apiKey ?? request.ip,
});
await app.register(httpProxy, {
  upstream: process.env.UPSTREAM_URL!,
  prefix: '/v2.0/whois/live',
  rewritePrefix: '/internal/whois/live',
  undici: { connections: 128, pipelining: 1 },
  preHandler: async (request, reply) => {
    const { apiKey } = request.query as { apiKey?: string };
    if (!apiKey || !keys.has(apiKey)) await reply.status(401).send({ code: 'invalid_api_key' });
  },
});

process.send!({ port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port) });
