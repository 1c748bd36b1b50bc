import { type RemoteInfo, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Packet, RECURSION_AVAILABLE, decode, encode } from 'dns-packet';
import { recordsOf } from './dns-records.js';

/** The response code for a name that does not exist (RFC 1035 §4.1.1). */
const NXDOMAIN = 3;

/**
 * The size of the socket's receive buffer. A burst of queries must not be lost, because a client
 * would wait for seconds before it retries.
 */
const RECEIVE_BYTES = 4 << 20;

/**
 * A UDP resolver that derives every answer from the queried name. Names that are free in the registry simulator do not
 * exist. The resolver never queries another server.
 */
export class DnsServer {
  private readonly socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BYTES });
  private isClosing = false;
  private readonly closed = new Promise<void>((resolve) => this.socket.once('close', resolve));

  constructor() {
    this.socket.on('message', (bytes, from) => this.answer(bytes, from));
    // A client that is gone causes a socket error.
    this.socket.on('error', () => undefined);
  }

  /** Starts listening. @returns the port on loopback. */
  async listen(): Promise<number> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this.socket.address().port;
  }

  /** Closes the server; a second call is harmless. */
  async close(): Promise<void> {
    if (!this.isClosing) this.socket.close();
    this.isClosing = true;
    await this.closed;
  }

  private answer(bytes: Buffer, { address, port }: RemoteInfo): void {
    let asked: Packet;
    try {
      asked = decode(bytes);
    } catch {
      // A resolver does not answer a packet that is not a query.
      return;
    }
    const [question] = asked.questions ?? [];
    if (question === undefined) return;
    const records = recordsOf(question.name, question.type);
    this.socket.send(
      encode({
        type: 'response',
        id: asked.id,
        flags: RECURSION_AVAILABLE | (records === undefined ? NXDOMAIN : 0),
        questions: [question],
        answers: records ?? [],
      }),
      port,
      address,
    );
  }
}
