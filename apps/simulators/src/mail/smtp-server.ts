import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { type ReceivedMail, parseMail } from './received-mail.js';

const MAIL_SIZE_MAX_BYTES = 1024 * 1024;
const CONNECTIONS_MAX = 100;

/** The least of RFC 5321 that takes a mail, without delivering it anywhere. */
export class SmtpServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  /** @param take called with each mail before it is acknowledged. */
  constructor(private readonly take: (mail: ReceivedMail) => void) {
    this.server = createServer((socket) => this.serve(socket));
    this.server.maxConnections = CONNECTIONS_MAX;
  }

  /** @returns the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => socket.destroy());
    const session = new SmtpSession(this.take);
    socket.write('220 simulator\r\n');
    socket.setEncoding('latin1').on('data', (chunk) => {
      for (const reply of session.replies(String(chunk))) socket.write(`${reply}\r\n`);
      if (session.isOver) socket.end();
    });
  }
}

/** What one client says, line by line, and what it is answered. */
class SmtpSession {
  isOver = false;
  private buffer = '';
  private recipient = '';
  private isData = false;

  constructor(private readonly take: (mail: ReceivedMail) => void) {}

  replies(chunk: string): string[] {
    this.buffer += chunk;
    if (this.buffer.length > MAIL_SIZE_MAX_BYTES) {
      this.isOver = true;
      return ['552 too large'];
    }
    const replies: string[] = [];
    for (;;) {
      const mark = this.isData ? '\r\n.\r\n' : '\r\n';
      const end = this.buffer.indexOf(mark);
      if (end < 0) return replies;
      const text = this.buffer.slice(0, end);
      this.buffer = this.buffer.slice(end + mark.length);
      replies.push(this.isData ? this.takeData(text) : this.takeCommand(text));
    }
  }

  private takeCommand(line: string): string {
    const command = line.slice(0, 4).toUpperCase();
    if (command === 'RCPT') this.recipient = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (command === 'DATA') {
      this.isData = true;
      return '354 go on';
    }
    if (command === 'QUIT') {
      this.isOver = true;
      return '221 bye';
    }
    return '250 fine';
  }

  private takeData(text: string): string {
    this.isData = false;
    this.take(parseMail(this.recipient, text));
    return '250 taken';
  }
}
