import { parentPort } from 'node:worker_threads';
import {
  RegistrySimulator,
  type SimulatedInternet,
} from '../../../apps/simulators/src/registry/registry-simulator.js';
import { LookupStandIn } from '../../stand-ins/lookup-stand-in.js';

/** The addresses of the servers in this thread. */
export interface Upstreams extends SimulatedInternet {
  /** A corpus that accepts all observations and keeps none. */
  corpusUrl: string;
}

/** Registries and a resolver in a thread of their own, so that their processor time does not count. */
const internet = await new RegistrySimulator().start();
const corpus = new LookupStandIn();
corpus.answer = () => ({ status: 200, headers: {}, body: '{"recorded":0,"refused":0}' });
await corpus.start();
parentPort!.postMessage({ ...internet, corpusUrl: corpus.url } satisfies Upstreams);
