import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { DnsFault } from './dns-fault.js';
import { readMessage, writeQuestion } from './dns-message.js';
import { type DnsMessage, type DnsType, DNS_TYPES } from './dns-record.js';

export interface TcpQuestion {
  address: string;
  port: number;
  name: string;
  type: DnsType;
  hasEdns: boolean;
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Sends one query over TCP, for answers that do not fit into a packet (RFC 7766). An answer has at most 64 KiB.
 * @throws DnsFault `timeout`, `unreachable` or `cancelled`.
 */
export function askByTcp(question: TcpQuestion): Promise<DnsMessage> {
  const { address, port, name, type, hasEdns, timeoutMs, signal } = question;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new DnsFault('cancelled'));
    const id = randomInt(0x1_0000);
    const packet = writeQuestion({ id, name, type, hasEdns });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    const socket = connect(port, address, () => socket.write(Buffer.concat([length, packet])));
    const timer = setTimeout(() => end(new DnsFault('timeout')), timeoutMs);
    const cancel = () => end(new DnsFault('cancelled'));
    const end = (result: DnsMessage | DnsFault) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      socket.destroy();
      if (result instanceof DnsFault) reject(result);
      else resolve(result);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const body = received.subarray(2, 2 + received.readUInt16BE(0));
      end(answerTo({ id, name, type }, body));
    });
    socket.on('error', (error) => end(new DnsFault('unreachable', { cause: error })));
    socket.on('close', () => end(new DnsFault('unreachable')));
  });
}

function answerTo(
  { id, name, type }: { id: number; name: string; type: DnsType },
  body: Buffer,
): DnsMessage | DnsFault {
  try {
    const message = readMessage(body);
    const isOurs =
      message.isResponse &&
      // No answer exceeds the limit of TCP, so a server that truncates one is broken.
      !message.isTruncated &&
      message.id === id &&
      message.questionName.toLowerCase() === name &&
      message.questionType === DNS_TYPES[type];
    return isOurs ? message : new DnsFault('unreachable');
  } catch (error) {
    return new DnsFault('unreachable', { cause: error });
  }
}
