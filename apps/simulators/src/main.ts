import { RegistrySimulator } from './registry/registry-simulator.js';

const simulator = new RegistrySimulator();
const { upstreamExceptions, caFile } = await simulator.start();

process.stdout.write(`LOOKUP_UPSTREAM_EXCEPTIONS=${upstreamExceptions}\n`);
process.stdout.write(`LOOKUP_EXTRA_CA_FILE=${caFile}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.stop());
}
