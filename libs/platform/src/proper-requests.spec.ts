import { once } from 'node:events';
import { connect } from 'node:net';
import { Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from './logger.js';
import { SystemClock } from './clock.js';
import { type FurtherListener, listenFurther } from './service/further-listener.js';
import { freePorts } from './service/free-ports.js';
import { type RunningService, startService } from './service/service.js';
import { ServiceModule } from './service/service.module.js';

const KEY = 'canary0123456789';
const HOST = 'Host: localhost';
const logger = new Logger('demo', { write: () => {} });
const clock = new SystemClock();

@Module({
  imports: [
    ServiceModule.register({ name: 'account', clock, logger, secret: { serviceSecret: 's3cret' } }),
  ],
})
class DemoModule {}

describe('rejections by the framework', () => {
  let service: RunningService;
  let further: FurtherListener;
  const ports = { internal: 0, probes: 0 };

  beforeAll(async () => {
    service = await startService({ module: DemoModule, logger, port: 0, host: '127.0.0.1' });
    ports.internal = Number(new URL(service.url).port);
    [ports.probes] = await freePorts(1);
    const place = { port: ports.probes, host: '127.0.0.1' };
    further = await listenFurther(service.app, place, new Set(['/health']));
  });
  afterAll(async () => {
    await service?.stop();
    await further?.close();
  });

  it.each([
    ['a malformed escape', [`GET /%zz?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['an asterisk', ['GET * HTTP/1.1', HOST]],
    ['a method that few know', [`PROPFIND /?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['a path that is not there', [`GET /nowhere?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['two hosts', [`GET /health?apiKey=${KEY} HTTP/1.1`, HOST, 'Host: other']],
    ['no host', [`GET /health?apiKey=${KEY} HTTP/1.1`]],
    ['an empty host', [`GET /health?apiKey=${KEY} HTTP/1.1`, 'Host:']],
    ['what the parser refuses', [`GET /health?apiKey=${KEY} HTTP/1.1`, 'no colon']],
    ['an expectation', [`GET /health?apiKey=${KEY} HTTP/1.1`, HOST, 'Expect: tea']],
  ])('S127: internal listeners also answer %s with a problem', async (_, lines) => {
    for (const port of Object.values(ports)) {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(text).toMatch(/content-type: application\/problem\+json/i);
      expect(text).toMatch(/cache-control: no-store/i);
      expect(text).toMatch(/x-content-type-options: nosniff/i);
      expect(text).not.toMatch(/FST_|fastify|HPE_/i);
      expect(text).not.toContain(KEY);
      expect(text).toMatch(/"code":"[a-z_]+"/);
    }
  });
});
