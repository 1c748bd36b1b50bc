import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makeOwnFolder } from '#test/environment';
import { ServiceProcess } from './service-process.js';

describe('a service that is stopped', () => {
  const folder = makeOwnFolder('service-process');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function started(end: string): Promise<ServiceProcess> {
    const main = join(folder, 'sample.mjs');
    const program = `const say = (msg) => console.log(JSON.stringify({ url: 'http://here', msg }));
      process.on('SIGTERM', () => { ${end} });
      setInterval(() => {}, 1000);
      say('sample is up');`;
    writeFileSync(main, program);
    const logFile = join(folder, 'sample.log');
    const service = new ServiceProcess({
      name: 'sample-1',
      app: 'sample',
      main,
      settings: {},
      logFile,
    });
    await service.start();
    return service;
  }

  it('has stopped cleanly if it ends with 0', async () => {
    const service = await started(`say('sample has stopped'); process.exit();`);
    await service.stop();
    expect([service.isRunning, service.endedBy]).toEqual([false, 0]);
  });

  it.each([
    ['its drain fails', `process.exit(1);`, '1'],
    ['a fault has requested the stop', `say('sample has stopped'); process.exit(1);`, '1'],
    [
      'Node crashes after its drain',
      `say('sample has stopped'); process.kill(process.pid, 'SIGSEGV');`,
      'SIGSEGV',
    ],
    ['it is killed in its drain', `process.kill(process.pid, 'SIGKILL');`, 'SIGKILL'],
  ])('is at fault if %s, and the message ends with the cause', async (_case, end, cause) => {
    const service = await started(end);
    await expect(service.stop()).rejects.toThrow(
      new RegExp(`^sample-1 ended with ${cause}: [^]*\nsample-1 ended with ${cause}$`),
    );
  });
});
