import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { newId } from '#libs/platform';
import { CertificateAuthority } from '#libs/resolvers';
import { makeOwnFolder } from '#test/environment';
import { secretText, signatureOf } from './signature.js';

const SECRET = Buffer.alloc(32, 7);
let receiver: ChildProcess;
let address: string;
let agent: Agent;

beforeAll(async () => {
  const folder = makeOwnFolder('webhook-guide');
  const authority = new CertificateAuthority();
  const { keyPem, certificatePem } = authority.certificateFor(['localhost']);
  writeFileSync(join(folder, 'key.pem'), keyPem);
  writeFileSync(join(folder, 'cert.pem'), certificatePem);
  const [, code] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/webhooks.md', 'utf8'))!;
  writeFileSync(join(folder, 'receiver.mjs'), code);
  receiver = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { PORT: '0', WEBHOOK_SECRET: secretText(SECRET) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(receiver, 'exit').then(([code]) => {
    throw new Error(`the receiver ended with ${String(code)}`);
  });
  const said = once(createInterface({ input: receiver.stdout! }), 'line');
  const [line] = (await Promise.race([said, ended])) as [string];
  address = `https://localhost:${/port ([0-9]+)$/.exec(line)![1]}/`;
  agent = new Agent({ connect: { ca: authority.certificatePem } });
});
afterAll(async () => {
  await agent?.close();
  receiver?.kill();
});

async function send(body: string, { signed = body, ageSeconds = 0, secret = SECRET } = {}) {
  const [id, timestamp] = [newId(), Math.floor(Date.now() / 1_000) - ageSeconds];
  const answer = await request(address, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf({ id, timestamp, body: signed }, [Buffer.alloc(32), secret]),
    },
    body,
  });
  await answer.body.dump();
  return answer.statusCode;
}

it('the receiver in the guide accepts only requests with our signature', async () => {
  const body = JSON.stringify({ type: 'webhook.test', data: { name: 'Zoë' } });
  expect(await send(body)).toBe(204);
  expect(await send(body, { signed: `${body} ` })).toBe(401);
  expect(await send(body, { secret: Buffer.alloc(32, 8) })).toBe(401);
  expect(await send(body, { ageSeconds: 3_600 })).toBe(401);
});
