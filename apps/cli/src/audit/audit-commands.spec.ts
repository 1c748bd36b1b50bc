import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ServiceHttp } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import { AuditAnchorsService } from '../../../account/src/audit-check/audit-anchors.service.js';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

const folder = mkdtempSync(join(tmpdir(), 'anchors-'));
let desk: OperatorDesk;

beforeAll(async () => {
  desk = await OperatorDesk.open();
});
afterAll(async () => {
  await desk.close();
  rmSync(folder, { recursive: true, force: true });
});

const verify = (...options: string[]) => desk.command('audit', 'verify', ...options);

it('S116: a file that has no anchor, or cannot be read, is rejected', async () => {
  const empty = join(folder, 'other.log');
  writeFileSync(empty, '{"msg":"started"}\n');
  expect(await verify('--anchors', empty)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no anchor'),
  });
  expect(await verify('--anchors', join(folder, 'absent'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be read'),
  });
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('none changed'),
  });
});

it('S116: all anchors of a file are compared, however many there are, even after a line that was cut off', async () => {
  const anchor = await desk.account.get(AuditAnchorsService).take();
  const file = join(folder, 'anchors.log');
  const line = `${JSON.stringify({ msg: 'audit anchor', anchor })}\n`;
  writeFileSync(file, `${line.slice(0, 40)}\n${line.repeat(1_001)}`);
  expect(await verify('--anchors', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1,001 anchors compared'),
  });
});

it('S116: the verification of a large log may last for an hour', async () => {
  const call = jest.spyOn(ServiceHttp.prototype, 'call');
  expect(await verify()).toMatchObject({ code: 0 });
  const path = '/internal/operator/audit/verify';
  expect(call).toHaveBeenCalledWith('POST', path, { body: { anchors: [] }, timeoutMs: HOUR_MS });
  call.mockRestore();
});
