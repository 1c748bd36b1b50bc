import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { freePorts } from '#libs/platform';
import { Daemon } from '../../apps/simulators/src/dns/daemon.js';

const PROGRAMS = ['stripe-mock', `${homedir()}/go/bin/stripe-mock`];

interface Sent {
  method: string;
  path: string;
  query: string;
  body: string;
}

/** Returns stripe-mock's path, or undefined without it (`go install github.com/stripe/stripe-mock@v0.203.0`). */
export function stripeMockProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ['-version']).status === 0);
}

/** Sends requests to Stripe's own mock server. @returns the faults that it finds in them. */
export async function faultsAtStripe(program: string, requests: readonly Sent[]) {
  const [port, tlsPort] = await freePorts(2);
  const ports = ['-http-port', String(port), '-https-port', String(tlsPort)];
  const server = await Daemon.start(program, ports, { address: '127.0.0.1', port });
  const faultOf = async ({ method, path, query, body }: Sent) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}?${query}`, {
      method,
      headers: {
        authorization: 'Bearer sk_test_123',
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    return answer.status < 400 ? [] : [`${method} ${path}: ${text}`];
  };
  const faults = await Promise.all(requests.map(faultOf)).finally(() => server.stop());
  return faults.flat();
}
