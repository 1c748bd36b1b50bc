import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ParseContext } from '../whois/parse/parse-whois.js';
import { ParserWorker, type ParserWorkerOptions } from './parser-worker.js';

const CONTEXT: ParseContext = { domain: 'example.com', server: '', tld: 'com', role: 'registry' };

/** A thread that hangs, exhausts memory or exits on demand, as a faulty parser would. */
const FAULTY = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ text }) => {
      if (text === 'hang') for (;;) {}
      if (text === 'bomb') { const kept = []; for (;;) kept.push(new Array(1e5).fill({ kept })); }
      if (text === 'die') process.exit(1);
      parentPort.postMessage({ result: { outcome: 'delivered', heard: text } });
    });
    parentPort.postMessage({ isReady: true });
  `)}`,
);

describe('the parser in its thread', () => {
  const workers: ParserWorker[] = [];
  const open = (options?: ParserWorkerOptions): ParserWorker => {
    const worker = new ParserWorker(options);
    workers.push(worker);
    return worker;
  };
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });

  it('returns the parser’s results in the order of the requests', async () => {
    const worker = open();
    const [first, second] = await Promise.all([
      worker.parse('Domain Name: EXAMPLE.COM\nName Server: ns1.example.net', CONTEXT),
      worker.parse('No match for "EXAMPLE.COM".', CONTEXT),
    ]);
    expect(first).toMatchObject({ outcome: 'delivered', record: { domain: 'example.com' } });
    expect(second).toEqual({ outcome: 'not_registered' });
  });

  it('parses RDAP and number answers in the same thread', async () => {
    const worker = open();
    const network = { startAddress: '192.0.2.0', endAddress: '192.0.2.255' };
    const about = { domain: 'a.example', role: 'registry', isAbsent: false } as const;
    const asked = ['192.0.2.1', '192.0.2.1'] as const;
    const [domain, block, text, nothing] = await Promise.all([
      worker.parseRdap('{"ldhName": "a.example", "status": ["active"]}', about),
      worker.parseNumber(JSON.stringify(network), { form: 'ip network', asked }),
      worker.parseNumber('inetnum: 192.0.2.0 - 192.0.2.255\nnetname: SAMPLE\n', {
        form: 'rpsl',
        asked,
      }),
      worker.parseNumber('{', { form: 'autnum', asked: ['1', '1'] }),
    ]);
    expect(domain).toMatchObject({ outcome: 'delivered', record: { statuses: ['ok'] } });
    expect(block).toMatchObject({ outcome: 'delivered', block: { start: '192.0.2.0' } });
    expect(text).toMatchObject({ outcome: 'delivered', block: { name: 'SAMPLE' } });
    expect(nothing).toEqual({ outcome: 'parse_failed' });
  });

  it.each(['hang', 'bomb', 'die'])(
    'S65: a parse that would %s ends as parse_failed, and the next parse gets a new thread',
    async (fault) => {
      const worker = open({ script: FAULTY, heapMb: 32 });
      const [failed, next] = await Promise.all([
        worker.parse(fault, CONTEXT),
        worker.parse('next', CONTEXT),
      ]);
      expect(failed).toEqual({ outcome: 'parse_failed' });
      expect(next).toEqual({ outcome: 'delivered', heard: 'next' });
    },
  );

  it('S65: by default, the thread has a heap of 64 MiB, and a parse may take 1 s', async () => {
    const worker = open();
    await worker.parse('Domain Name: EXAMPLE.COM', CONTEXT);
    expect(worker).toMatchObject({
      timeoutMs: 1_000,
      thread: { resourceLimits: { maxOldGenerationSizeMb: 64 } },
    });
  });

  it('S65: the queue is limited, and a text beyond the limit fails at once', async () => {
    const worker = open({ script: FAULTY, waitingMax: 2 });
    const answers = ['a', 'b', 'c'].map((text) => worker.parse(text, CONTEXT));
    expect(await answers[2]).toEqual({ outcome: 'parse_failed' });
    expect(await answers[1]).toMatchObject({ outcome: 'delivered' });
  });

  it('if the script cannot start, parses fail, and it is not restarted endlessly', async () => {
    const worker = open({ script: new URL('data:text/javascript,throw new Error()') });
    const answers = await Promise.all([worker.parse('a', CONTEXT), worker.parse('b', CONTEXT)]);
    expect(answers).toEqual([{ outcome: 'parse_failed' }, { outcome: 'parse_failed' }]);
  });

  it('an idle thread does not keep the process alive', async () => {
    const script = `
      import { ParserWorker } from ${JSON.stringify(new URL('./parser-worker.js', import.meta.url))};
      const context = { domain: 'a.com', server: '', tld: 'com', role: 'registry' };
      const { outcome } = await new ParserWorker().parse('No match for "A.COM".\\n', context);
      process.stdout.write(outcome);
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
    expect(stdout).toBe('not_registered');
  });

  it('closing settles running and waiting parses', async () => {
    const worker = open({ script: FAULTY });
    const answers = [worker.parse('hang', CONTEXT), worker.parse('b', CONTEXT)];
    await worker.close();
    expect(await Promise.all(answers)).toEqual([
      { outcome: 'parse_failed' },
      { outcome: 'parse_failed' },
    ]);
    expect(await worker.parse('c', CONTEXT)).toEqual({ outcome: 'parse_failed' });
  });
});
