import type { NameQuestions } from '#libs/contracts';
import { type Findings, QuestionsStandIn } from './questions-stand-in.js';

/** A stand-in for lookup that knows only the names that a test has given answers for. */
export class WatchedWorld extends QuestionsStandIn {
  private readonly whois = new Map<string, Findings>();
  private readonly dns = new Map<string, Findings>();

  override found = (name: string, kind: NameQuestions['kind']): Findings =>
    (kind === 'dns' ? this.dns : this.whois).get(name) ?? { outcome: 'unreachable' };

  /** Answers WHOIS lookups of a name with a registration. */
  register(name: string, members: object): void {
    const body = { status: true, domain_name: name, domain_registered: 'yes', ...members };
    this.whois.set(name, { outcome: 'delivered', body });
  }

  answerTo(kind: NameQuestions['kind'], name: string, answered: Findings): void {
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
    return this.calls.filter((one) => one.kind === kind && one.names.includes(name)).length;
  }
}
