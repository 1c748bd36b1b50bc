import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { Connections, drip } from './connections.js';
import type { ExchangeLog } from './exchange-log.js';
import { registrarAnswer } from './layouts/icann.js';
import { registryLayout } from './layouts/by-tld.js';
import { numberIn, numberText } from './layouts/numbers.js';
import { type Misbehaviour, misbehaviourOf } from './misbehaviour.js';
import { availabilityOf, registrationOf } from '../registrations/registration.js';
import { asMisreported, HTML_PAGE } from './scenario.js';

const LONGEST_QUESTION_BYTES = 1024;
const HUGE_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Serves WHOIS on port 43 (RFC 3912): it reads one line, sends the answer and closes the connection. One server
 * simulates every registry of names and numbers, another every registrar; the query determines the layout.
 */
export class Port43Server {
  private readonly server = createServer((socket) => this.serve(socket));
  private readonly connections = new Connections(this.server);

  constructor(
    private readonly role: 'registry' | 'registrar',
    private readonly exchanges: ExchangeLog,
    private readonly dripIntervalMs: number,
  ) {}

  async listen(port: number, address?: string): Promise<number> {
    return this.connections.listen(port, address);
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private serve(socket: Socket): void {
    let question = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      question = Buffer.concat([question, chunk]);
      if (question.length > LONGEST_QUESTION_BYTES) return void socket.destroy();
      if (!question.includes('\n')) return;
      socket.off('data', onData).resume();
      this.answer(socket, question.toString('latin1'));
    };
    socket.on('data', onData);
  }

  private answer(socket: Socket, question: string): void {
    const number = numberIn(question);
    if (number !== undefined) return this.answerNumber(socket, question, number);
    const domain = nameIn(question);
    const hop = this.exchanges.add({ protocol: 'whois43', role: this.role, question, domain });
    const misbehaviour = misbehaviourOf(domain, { protocol: 'whois43', role: this.role });
    const text = this.text(domain, misbehaviour, hop).replaceAll('\n', '\r\n');
    this.send(socket, text, misbehaviour);
  }

  private answerNumber(socket: Socket, question: string, number: string): void {
    this.exchanges.add({ protocol: 'whois43', role: this.role, question, domain: number });
    this.send(socket, numberText(number, question).replaceAll('\n', '\r\n'), undefined);
  }

  private text(domain: string, misbehaviour: Misbehaviour | undefined, hop: number): string {
    const layout =
      this.role === 'registrar'
        ? registrarAnswer
        : registryLayout(domain.slice(domain.lastIndexOf('.') + 1));
    const availability = availabilityOf(domain);
    if (misbehaviour?.startsWith('throttled')) return layout.throttled;
    if (misbehaviour === 'lying-registrar' && this.role === 'registrar')
      return layout.notFound(domain);
    if (availability === 'free') return layout.notFound(domain);
    if (availability === 'reserved') return layout.reserved?.(domain) ?? layout.notFound(domain);
    return layout.found(asMisreported(registrationOf(domain), misbehaviour, this.role, hop));
  }

  private send(socket: Socket, text: string, misbehaviour: Misbehaviour | undefined): void {
    switch (misbehaviour) {
      case 'refused':
      case 'unavailable':
        return void socket.resetAndDestroy();
      case 'reset':
        return void socket.write(text.slice(0, text.length / 2), () => socket.resetAndDestroy());
      case 'drip':
        return drip(socket, Buffer.from(text), this.dripIntervalMs);
      case 'silent':
        return;
      case 'never-closes':
        return void socket.write(text);
      case 'empty':
        return void socket.end();
      case 'garbage':
        return void socket.end(randomBytes(2048));
      case 'huge':
        return void socket.end('% filler of an endless answer\r\n'.repeat(HUGE_ANSWER_BYTES / 32));
      case 'html':
        return void socket.end(HTML_PAGE);
      case 'latin-1':
        return void socket.end(
          Buffer.from(text.replaceAll('Example Holdings', 'Société Exemple'), 'latin1'),
        );
      default:
        return void socket.end(text);
    }
  }
}

/**
 * Returns the name in a query, which may contain flags for a particular server: `-T dn,ace a.de`, `a.jp/e`, `domain
 * a.com`.
 */
function nameIn(question: string): string {
  const words = question.trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  return last.replace(/^=/, '').replace(/\/e$/, '').toLowerCase();
}
