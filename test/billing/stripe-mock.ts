import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { freePorts } from '#libs/platform';
import { waitFor } from '#test/environment';

const PROGRAMS = ['stripe-mock', `${homedir()}/go/bin/stripe-mock`];
const START_TIMEOUT_MS = 120_000;

/** The program, if `go install github.com/stripe/stripe-mock@v0.203.0` was run; otherwise undefined. */
export function stripeMockProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ['-version']).status === 0);
}

/** Stripe's own server, which checks each request against Stripe's published API and answers with fixtures. */
export class StripeMock {
  private constructor(
    private readonly server: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(program: string): Promise<StripeMock> {
    const [port, tlsPort] = await freePorts(2);
    const ports = ['-http-port', String(port), '-https-port', String(tlsPort)];
    const mock = new StripeMock(
      spawn(program, ports, { stdio: 'ignore' }),
      `http://localhost:${port}`,
    );
    await waitFor('stripe-mock to answer', () => mock.isUp(), START_TIMEOUT_MS);
    return mock;
  }

  /** @returns the fault of a request; undefined if Stripe's API accepts it. */
  async faultOf(request: {
    method: string;
    path: string;
    query: string;
    body: string;
  }): Promise<string | undefined> {
    const { method, path, query, body } = request;
    const answer = await fetch(`${this.url}${path}?${query}`, {
      method,
      headers: {
        authorization: 'Bearer sk_test_123',
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    return answer.status < 400 ? undefined : `${method} ${path}: ${text}`;
  }

  stop(): void {
    this.server.kill('SIGKILL');
  }

  private async isUp(): Promise<boolean> {
    return fetch(this.url).then(
      () => true,
      () => false,
    );
  }
}
