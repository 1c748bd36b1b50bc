import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NameFindings, NameQuestions } from '#libs/contracts';
import { LookupStandIn } from './lookup-stand-in.js';

type Answered = Omit<NameFindings, 'index' | 'servedFrom' | 'isCharged'>;

/**
 * A stand-in for lookup that provides what monitors need. Tests can change its answers about names, and it counts the
 * requests about each name.
 */
export class WatchedWorld extends LookupStandIn {
  readonly asked: NameQuestions[] = [];
  private readonly whois = new Map<string, Answered>();
  private readonly dns = new Map<string, Answered>();

  /** A name that is answered before the other names of its request. */
  firstName?: string;
  isBreakingOff = false;

  override respond = (_request: IncomingMessage, response: ServerResponse, body: unknown) => {
    const questions = body as NameQuestions;
    this.asked.push(questions);
    if (this.isBreakingOff) return void response.writeHead(200).write('', () => response.destroy());
    const known = questions.kind === 'dns' ? this.dns : this.whois;
    const lines = questions.names.map((name, index) => ({
      index,
      servedFrom: 'live',
      isCharged: false,
      ...(known.get(name) ?? { outcome: 'unreachable' }),
    }));
    const first = questions.names.indexOf(this.firstName!);
    if (first > 0) lines.unshift(...lines.splice(first, 1));
    const all = [...lines, { isLast: true }].map((line) => `${JSON.stringify(line)}\n`);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(all.join(''));
  };

  /** Answers WHOIS lookups of a name with a registration. */
  register(name: string, members: object): void {
    const body = { status: true, domain_name: name, domain_registered: 'yes', ...members };
    this.whois.set(name, { outcome: 'delivered', body });
  }

  answerTo(kind: NameQuestions['kind'], name: string, answered: Answered): void {
    (kind === 'dns' ? this.dns : this.whois).set(name, answered);
  }

  /** @param records addresses and hosts by record type. */
  resolve(name: string, records: Record<string, string[]>): void {
    const all = Object.entries(records).flatMap(([type, values]) =>
      values.map((value) => ({
        name,
        type,
        raw_text: value,
        ...(type === 'A' ? { address: value } : { target: value }),
      })),
    );
    this.dns.set(name, { outcome: 'delivered', body: { dns_records: all, errors: {} } });
  }

  count(kind: NameQuestions['kind'], name: string): number {
    return this.asked.filter((one) => one.kind === kind && one.names.includes(name)).length;
  }
}
