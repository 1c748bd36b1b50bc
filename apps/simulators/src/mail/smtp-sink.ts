import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type ReceivedMail, receivedMail } from './received-mail.js';

const MAIL_SIZE_MAX_BYTES = 1024 * 1024;
const CONNECTIONS_MAX = 100;
/** The time to wait for a client that is still connected. */
const CLOSE_TIMEOUT_MS = 100;

export class SmtpSink {
  private readonly server: SMTPServer;

  /** @param take called with each e-mail, once for each recipient, before the e-mail is acknowledged. */
  constructor(take: (mail: ReceivedMail) => void) {
    this.server = new SMTPServer({
      size: MAIL_SIZE_MAX_BYTES,
      maxClients: CONNECTIONS_MAX,
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onData: (stream, session, done) => callbackify(() => receive(stream, session, take))(done),
    });
    // A client may disconnect in the middle of an e-mail.
    this.server.on('error', () => undefined);
  }

  /**
   * Starts listening on loopback; 0 selects a free port.
   * @returns the port.
   */
  async listen(port: number): Promise<number> {
    const { server } = this.server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => resolve());
    });
    return (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

async function receive(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  take: (mail: ReceivedMail) => void,
): Promise<void> {
  const mail = await simpleParser(stream);
  if (stream.sizeExceeded) throw Object.assign(new Error('too large'), { responseCode: 552 });
  for (const { address } of envelope.rcptTo) take(receivedMail(address, mail));
}
