import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../table.js';
import { type CallInput, apiCallOf } from './api-call.js';
import { callSamples } from './call-samples.js';

const run = promisify(execFile);
const HOSTILE = `b'$(id)"\`id\`\\ !`;

interface Sent {
  line: string;
  key?: string;
  type?: string;
  tus?: unknown;
  body: string;
}

let api: Server;
let origin: string;
let folder: string;
let sent: Sent[] = [];
/** If set, requests to the API's own address are redirected there. */
let elsewhere: string | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
  writeFileSync(join(folder, 'names.csv'), 'example.com\n');
  api = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization: key, 'content-type': type, 'tus-resumable': tus } = request.headers;
      const line = `${request.method} ${request.url}`;
      const [kind] = (type ?? '').split(';', 1);
      const isForm = kind === 'multipart/form-data';
      const part = /filename="names.csv"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(body)?.[1];
      sent.push({ line, key, type: kind, tus, body: isForm ? `file: ${part}` : body });
      const isElsewhere = request.headers.host?.startsWith('localhost');
      if (elsewhere && !isElsewhere) response.writeHead(302, { location: elsewhere });
      response.end('{"status":true}');
    });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(() => {
  api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const programs = {
  curl: ['bash', '-c'],
  Node: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
};

/** Runs the programs one after another. */
async function runAll(samples: Record<keyof typeof programs, string>): Promise<void> {
  for (const [language, [command, ...words]] of Object.entries(programs)) {
    await run(command, [...words, samples[language as keyof typeof programs]], {
      cwd: folder,
      env: { ...process.env, KEY: 'dds_live_1' },
    });
  }
}

describe('a call as a program', () => {
  it.each<[string, CallInput]>([
    ['whois.live', { values: { domainName: HOSTILE } }],
    ['domain.typos.scores', { values: {}, body: { domainName: HOSTILE, domainNames: ['ü💡'] } }],
    ['dns.reverse', { values: { value: '192.0.2.1', type: 'A' } }],
    ['tlds.one', { values: { tld: HOSTILE } }],
    ['webhooks.delete', { values: { id: 'abc' } }],
    ['files.download', { values: { dataset: 'newly', date: '2026-11-20', format: 'csv.gz' } }],
    ['uploads.create', { values: {} }],
    ['uploads.append', { values: { id: 'abc' } }],
    ['uploads.state', { values: { id: 'abc' } }],
  ])('to %s sends the same in curl, Node and Python, whatever was typed', async (name, input) => {
    const row = OPERATIONS.find((one) => one.name === name)!;
    const call = apiCallOf(origin, row, input);
    const samples = callSamples(call);
    sent = [];
    await runAll(samples);
    const [first] = sent;
    expect(sent).toEqual([first, first, first]);
    expect(new URL(first.line.split(' ')[1], origin).href).toBe(call.url);
    expect(first.key).toBe(row.access.kind === 'key' ? 'Bearer dds_live_1' : undefined);
    if (input.body) expect(JSON.parse(first.body)).toEqual(input.body);
    if (call.upload) expect(first.body).toContain('example.com');
  });

  it('a download that is redirected to another host sends no key there', async () => {
    const row = OPERATIONS.find(({ name }) => name === 'jobs.results')!;
    sent = [];
    elsewhere = `${origin.replace('127.0.0.1', 'localhost')}/results`;
    await runAll(callSamples(apiCallOf(origin, row, { values: { id: 'abc' } })));
    elsewhere = undefined;
    const keys = sent.map(({ line, key }) => [line, key]);
    const redirected = ['GET /v2.0/jobs/abc/results', 'Bearer dds_live_1'];
    const there = ['GET /results', undefined];
    expect(keys).toEqual([redirected, there, redirected, there, redirected, there]);
  });
});
