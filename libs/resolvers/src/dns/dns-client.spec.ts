import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RemoteInfo, type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Server, createServer } from 'node:net';
import { freePorts } from '#libs/platform';
import { waitFor, withEnoughTime } from '#test/environment';
import { Random } from '../../../../test/random.js';
import { WayOut } from '../safe-connect/way-out.js';
import { DnsClient } from './dns-client.js';
import { readMessage, writeQuestion } from './dns-message.js';
import { lookUpDns } from './domain-dns.js';
import { recordText } from './record-text.js';
import { MalformedMessage } from './wire-reader.js';

const PATIENT_MS = 20_000;
const OPTIONS = { timeoutMs: PATIENT_MS };

class ScriptedServer {
  private constructor(
    private readonly udp: Socket,
    private readonly tcp: Server,
    readonly address: string,
  ) {}

  readonly packets: Buffer[] = [];
  answer: (query: Buffer, reply: (answer: Buffer) => void, from: RemoteInfo) => void = () => {};
  answerTcp: (query: Buffer) => Buffer = () => Buffer.alloc(0);

  static async start(): Promise<ScriptedServer> {
    const [port] = await freePorts(1);
    const udp = createSocket('udp4').bind(port, '127.0.0.1');
    await once(udp, 'listening');
    const tcp = createServer();
    await once(tcp.listen(port, '127.0.0.1'), 'listening');
    const server = new ScriptedServer(udp, tcp, `127.0.0.1:${port}`);
    udp.on('message', (packet, from) => {
      server.packets.push(packet);
      server.answer(packet, (answer) => udp.send(answer, from.port, from.address), from);
    });
    tcp.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const body = server.answerTcp(data.subarray(2));
        const length = Buffer.alloc(2);
        length.writeUInt16BE(body.length);
        socket.write(Buffer.concat([length, body]));
      });
    });
    return server;
  }

  async stop(): Promise<void> {
    this.udp.close();
    this.tcp.close();
    await once(this.tcp, 'close');
  }
}

interface AnswerParts {
  flags?: number;
  count?: number;
  rest?: Buffer;
}

function answered(query: Buffer, parts: AnswerParts = {}): Buffer {
  const { flags = 0x8180, count = 0, rest = Buffer.alloc(0) } = parts;
  const question = query.subarray(0, query.indexOf(0, 12) + 5);
  const answer = Buffer.concat([question, rest]);
  answer.writeUInt16BE(flags, 2);
  answer.writeUInt16BE(count, 6);
  answer.writeUInt16BE(0, 10);
  return answer;
}

function record(type: number, data: Buffer, ttl = 300): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const LOCAL = record(1, Buffer.from([192, 0, 2, 1]));

const copies = (count: number, one: Buffer) => Buffer.concat(Array<Buffer>(count).fill(one));

let server: ScriptedServer;
let client: DnsClient;

describe('the client', () => {
  beforeEach(async () => {
    server = await ScriptedServer.start();
    client = new DnsClient({ servers: [server.address], tryTimeoutMs: PATIENT_MS });
  });

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  describe('a UDP query', () => {
    it('has an unpredictable id and unpredictable case, and requests a validated answer', async () => {
      server.answer = (query, reply) =>
        reply(answered(query, { flags: 0x81a0, count: 1, rest: LOCAL }));
      const first = await client.ask('registered.example', 'A', OPTIONS);
      expect(first).toMatchObject({ rcode: 'noerror', isAuthenticated: true, protocol: 'udp' });
      expect(first.answers).toEqual([
        { name: 'registered.example', type: 'A', ttlSeconds: 300, address: '192.0.2.1' },
      ]);
      for (let i = 0; i < 20; i++) await client.ask('registered.example', 'A', OPTIONS);
      const ids = new Set(server.packets.map((packet) => packet.readUInt16BE(0)));
      const spellings = new Set(server.packets.map((packet) => packet.toString('latin1', 12, 32)));
      expect(ids.size).toBeGreaterThan(15);
      expect(spellings.size).toBeGreaterThan(15);
    });

    it.each<[string, (answer: Buffer) => void]>([
      ['another id', (answer) => answer.writeUInt16BE(answer.readUInt16BE(0) ^ 1, 0)],
      ['another name', (answer) => void (answer[14] = 0x71)],
      ['another type', (answer) => answer.writeUInt16BE(28, 32)],
      ['no response bit', (answer) => answer.writeUInt16BE(0x0180, 2)],
      ['two questions', (answer) => answer.writeUInt16BE(2, 4)],
    ])('S68: an answer with %s is ignored', async (_name, forge) => {
      server.answer = (query, reply) => {
        const forged = answered(query, { count: 1, rest: record(1, Buffer.from([10, 6, 6, 6])) });
        forge(forged);
        reply(forged);
        reply(answered(query, { count: 1, rest: LOCAL }));
      };
      const { answers } = await client.ask('registered.example', 'A', OPTIONS);
      expect(answers).toMatchObject([{ address: '192.0.2.1' }]);
    });

    it('is repeated over TCP if the case of the name was lost or the answer was truncated', async () => {
      // The random case of a short name might happen to be lower case.
      const label = 'registered'.repeat(6);
      server.answerTcp = (query) => answered(query, { count: 1, rest: LOCAL });
      server.answer = (query, reply) => {
        const lower = answered(query, { count: 1, rest: record(1, Buffer.from([10, 6, 6, 6])) });
        const end = 13 + label.length;
        lower.write(lower.toString('latin1', 13, end).toLowerCase(), 13, 'latin1');
        reply(lower);
      };
      expect(await client.ask(`${label}.example`, 'A', OPTIONS)).toMatchObject({
        protocol: 'tcp',
        answers: [{ address: '192.0.2.1' }],
      });
      server.answer = (query, reply) => reply(answered(query, { flags: 0x8380 }));
      expect(await client.ask('registered.example', 'A', OPTIONS)).toMatchObject({
        protocol: 'tcp',
        answers: [{ address: '192.0.2.1' }],
      });
    });

    it('fails if even the answer over TCP is truncated', async () => {
      const cut = (query: Buffer) => answered(query, { flags: 0x8380, count: 1, rest: LOCAL });
      server.answer = (query, reply) => reply(cut(query));
      server.answerTcp = cut;
      await expect(client.ask('registered.example', 'A', OPTIONS)).rejects.toMatchObject({
        kind: 'unreachable',
      });
    });

    it('is sent without EDNS to a server that does not support it, also over TCP', async () => {
      const unless = (flags: number) => (query: Buffer) =>
        answered(
          query,
          query.readUInt16BE(10) === 1 ? { flags: 0x8181 } : { flags, count: 1, rest: LOCAL },
        );
      server.answer = (query, reply) => reply(unless(0x8180)(query));
      expect(await client.ask('old.example', 'A', OPTIONS)).toMatchObject({ rcode: 'noerror' });
      expect(await client.ask('old.example', 'A', OPTIONS)).toMatchObject({ rcode: 'noerror' });
      expect(server.packets.length).toBe(3);
      server.answer = (query, reply) => reply(unless(0x8380)(query));
      server.answerTcp = unless(0x8180);
      const long = await client.ask('old.example', 'A', OPTIONS);
      expect(long).toMatchObject({ rcode: 'noerror', protocol: 'tcp' });
    });

    it('is sent without EDNS to a server that rejects it with only a header', async () => {
      server.answer = (query, reply) => {
        const hasEdns = query.readUInt16BE(10) === 1;
        const bare = Buffer.alloc(12);
        query.copy(bare, 0, 0, 2);
        bare.writeUInt16BE(0x8181, 2);
        reply(hasEdns ? bare : answered(query, { count: 1, rest: LOCAL }));
      };
      expect(await client.ask('bare.example', 'A', OPTIONS)).toMatchObject({ rcode: 'noerror' });
      expect(server.packets.length).toBe(2);
    });

    it('S124: a new port is used after a few hundred queries', async () => {
      const ports = new Set<number>();
      server.answer = (query, reply, from) => {
        ports.add(from.port);
        reply(answered(query, { count: 1, rest: LOCAL }));
      };
      for (let batch = 0; batch < 22; batch++) {
        await Promise.all(
          Array.from({ length: 100 }, async (_, n) => client.ask(`n${n}.example`, 'A', OPTIONS)),
        );
      }
      expect(ports.size).toBeGreaterThan(4);
    });

    it('goes to another server if one is silent or fails, and is answered SERVFAIL if all servers answer SERVFAIL', async () => {
      const second = await ScriptedServer.start();
      const both = new DnsClient({ servers: [server.address, second.address], tryTimeoutMs: 500 });
      try {
        second.answer = (query, reply) => reply(answered(query, { count: 1, rest: LOCAL }));
        for (let i = 0; i < 2; i++) {
          expect((await both.ask('a.example', 'A', OPTIONS)).server).toBe(second.address);
        }
        const refuse = (query: Buffer, reply: (answer: Buffer) => void) =>
          reply(answered(query, { flags: 0x8182 }));
        [server.answer, second.answer] = [refuse, refuse];
        expect((await both.ask('a.example', 'A', OPTIONS)).rcode).toBe('servfail');
      } finally {
        both.close();
        await second.stop();
      }
    });

    it('ends at its deadline, or when its caller disconnects, and fails at once if too many queries are running', async () => {
      await expect(client.ask('a.example', 'A', { timeoutMs: 50 })).rejects.toThrow('timeout');
      const gone = new AbortController();
      const asked = client.ask('b.example', 'A', { ...OPTIONS, signal: gone.signal });
      await waitFor('the question', () => server.packets.length === 2);
      gone.abort();
      await expect(asked).rejects.toThrow('cancelled');
      const small = new DnsClient({ servers: [server.address], inFlightMax: 1, tryTimeoutMs: 100 });
      const first = small.ask('c.example', 'A', { timeoutMs: 100 });
      await expect(small.ask('d.example', 'A', OPTIONS)).rejects.toThrow('busy');
      await expect(first).rejects.toThrow('timeout');
      small.close();
    });

    it('is answered "no such name" only if the resolver knows the root, or a server has been reached', async () => {
      const isRoot = (query: Buffer) => query[12] === 0;
      server.answer = (query, reply) => reply(answered(query, { flags: 0x8183 }));
      const cutOff = new DnsClient({ servers: [server.address], wayOut: new WayOut() });
      await expect(cutOff.ask('a.example', 'A', OPTIONS)).rejects.toThrow('unreachable');
      server.answer = (query, reply) =>
        reply(answered(query, { flags: isRoot(query) ? 0x8180 : 0x8183 }));
      for (let i = 0; i < 2; i++) {
        expect((await cutOff.ask('a.example', 'A', OPTIONS)).rcode).toBe('nxdomain');
      }
      expect(server.packets.slice(-3).map(isRoot)).toEqual([false, true, false]);
      cutOff.close();
    });

    it('fails as unreachable if the port is closed', async () => {
      await server.stop();
      await expect(client.ask('a.example', 'A', OPTIONS)).rejects.toThrow('unreachable');
      server = await ScriptedServer.start();
    });
  });

  describe('several types of a name', () => {
    it('fail separately, and SPF records are found among the TXT records', async () => {
      const text = (value: string) =>
        Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
      server.answer = (query, reply) => {
        const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
        if (type === 16) {
          const rest = [record(16, text('v=spf1 -all')), record(16, text('other'))];
          reply(answered(query, { count: 2, rest: Buffer.concat(rest) }));
        } else if (type === 15) reply(answered(query, { flags: 0x8182 }));
        else if (type === 1) reply(answered(query, { count: 1, rest: LOCAL }));
        else if (type === 99) reply(answered(query));
      };
      const found = await withEnoughTime(
        200,
        (timeoutMs) =>
          lookUpDns(client, 'mixed.example', ['A', 'MX', 'NS', 'SPF', 'TXT'], { timeoutMs }),
        ({ errors }) => Object.values(errors).filter((error) => error === 'timeout').length > 1,
      );
      expect(found).toMatchObject({ rcode: 'noerror', errors: { MX: 'servfail', NS: 'timeout' } });
      expect(found.records.map(({ type }) => type).sort()).toEqual(['A', 'SPF', 'TXT', 'TXT']);
    });

    it('S68: an alias that leads to itself is reported as a loop', async () => {
      const alias = record(5, Buffer.from([0xc0, 0x0c]));
      server.answer = (query, reply) => reply(answered(query, { count: 1, rest: alias }));
      const found = await lookUpDns(client, 'loop.example', ['A'], OPTIONS);
      expect(found.errors).toEqual({ A: 'cname_loop' });
    });

    it('report that an alias exists even if its target does not', async () => {
      const alias = record(5, Buffer.from('\x04gone\x07example\x00', 'latin1'));
      server.answer = (query, reply) =>
        reply(answered(query, { flags: 0x8183, count: 1, rest: alias }));
      const found = await lookUpDns(client, 'alias.example', ['A'], OPTIONS);
      expect(found).toMatchObject({ rcode: 'noerror', records: [], errors: {} });
    });

    it('S68: a TXT record of 15 KiB arrives completely, over TCP', async () => {
      const data = copies(60, Buffer.from(`\xff${'a'.repeat(255)}`, 'latin1'));
      server.answer = (query, reply) => reply(answered(query, { flags: 0x8380 }));
      server.answerTcp = (query) => answered(query, { count: 1, rest: record(16, data) });
      const { records } = await lookUpDns(client, 'large.example', ['TXT'], OPTIONS);
      const [txt] = records;
      expect(txt.type === 'TXT' && txt.strings.join('').length).toBe(60 * 255);
    });

    it('preserve the octets of a TXT record that is not UTF-8', async () => {
      const data = Buffer.from([3, 0xff, 0xc3, 0xa9]);
      server.answer = (query, reply) =>
        reply(answered(query, { count: 1, rest: record(16, data) }));
      const { records } = await lookUpDns(client, 'octets.example', ['TXT'], OPTIONS);
      expect(records.map(recordText)).toEqual(['octets.example.\t300\tIN\tTXT\t"\\255\\195\\169"']);
    });

    it('S124: records of other names are dropped', async () => {
      const foreign = Buffer.concat([Buffer.from('\x04evil\x00', 'latin1'), LOCAL.subarray(2)]);
      server.answer = (query, reply) =>
        reply(answered(query, { count: 2, rest: Buffer.concat([foreign, LOCAL]) }));
      const { records } = await lookUpDns(client, 'asked.example', ['A'], OPTIONS);
      expect(records.map(({ name }) => name)).toEqual(['asked.example']);
    });

    it('follow a chain of a dozen aliases to the end', async () => {
      const label = (n: number) => Buffer.from(`\x03c${String(n).padStart(2, '0')}\x00`, 'latin1');
      const alias = (n: number) => {
        const { length } = label(n + 1);
        const owner = n === 0 ? Buffer.from([0xc0, 0x0c]) : label(n);
        return Buffer.concat([
          owner,
          record(5, Buffer.alloc(length)).subarray(2, 12),
          label(n + 1),
        ]);
      };
      const end = Buffer.concat([label(12), LOCAL.subarray(2)]);
      const rest = Buffer.concat([...Array.from({ length: 12 }, (_, n) => alias(n)), end]);
      server.answer = (query, reply) => reply(answered(query, { count: 13, rest }));
      const found = await lookUpDns(client, 'chain.example', ['A', 'CNAME'], OPTIONS);
      expect(found.errors).toEqual({});
      expect(found.records).toHaveLength(13);
    });
  });
});

describe('a message', () => {
  it('S124: a message with more than 256 KiB of text in its compressed names is rejected', () => {
    const long = copies(3, Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 7)]));
    const target = record(2, Buffer.concat([long, Buffer.from([0])]));
    const at = 12 + 'a.example'.length + 2 + 4 + 12;
    const name = Buffer.from([0xc0 | (at >> 8), at & 0xff]);
    const pointer = Buffer.concat([name, record(2, name).subarray(2)]);
    const of = (count: number) => read(count, Buffer.concat([target, copies(count, pointer)]));
    expect(() => of(250)).toThrow(MalformedMessage);
    expect(of(150).answers).toHaveLength(150);
  });

  it.each([
    ['records', LOCAL, 256, 256],
    ['octets', record(16, Buffer.concat([Buffer.from([255]), Buffer.alloc(255, 7)])), 61, 62],
  ])('S124: a message with too many %s is read only in part', (_name, one, max, shown) => {
    expect(read(max, copies(max, one))).toMatchObject({ isCut: false, answers: { length: max } });
    const cut = read(2 * max, copies(2 * max, one));
    expect(cut).toMatchObject({ isCut: true, answers: { length: shown } });
  });

  const query = writeQuestion({ id: 7, name: 'a.example', type: 'A', hasEdns: true });
  const read = (count: number, rest: Buffer) => readMessage(answered(query, { count, rest }));

  it.each([
    ['a pointer to itself', Buffer.from([0xc0, 0x1b])],
    ['a pointer forwards', Buffer.from([0xc0, 0xff])],
    ['a label of an unknown kind', Buffer.from([0x80])],
    ['a record beyond its end', record(1, Buffer.alloc(4)).subarray(0, 14)],
    ['an address of three octets', record(1, Buffer.alloc(3))],
    ['an address of five octets', record(1, Buffer.alloc(5))],
  ])('S68: a message with %s is rejected', (_name, rest) => {
    expect(() => read(1, rest)).toThrow(MalformedMessage);
  });

  it('S68: a message of arbitrary octets is read or rejected, and has no other effect', () => {
    const packet = answered(query, { count: 3, rest: Buffer.concat([LOCAL, LOCAL, LOCAL]) });
    const random = new Random(20_261_122);
    for (let run = 0; run < 100_000; run++) {
      const length = random.chance(0.5) ? packet.length : random.between(0, packet.length);
      const bytes = Buffer.from(packet.subarray(0, length));
      for (let changes = random.between(0, 8); changes > 0; changes--) {
        const at = random.between(0, packet.length - 1);
        if (at < bytes.length) bytes[at] = random.between(0, 255);
      }
      try {
        readMessage(bytes).answers.map(recordText);
      } catch (error) {
        if (!(error instanceof MalformedMessage)) {
          throw new Error(`octets ${bytes.toString('hex')}`, { cause: error });
        }
      }
    }
  });
});
