import { join } from 'node:path';
import { freePorts } from '#libs/platform';
import { waitFor } from '#test/environment';
import { type Controllers, simulatedStages } from '../tools/programs.js';
import type { ApiServer } from './api-server.js';
import type { Daemon } from './daemon.js';

const NODES = 3;
const VOLUMES = 6;
/** The resources of a node. kwok's own nodes offer no ephemeral storage, which the chart's pods request. */
const CAPACITY = { cpu: '64', memory: '256Gi', pods: '110', 'ephemeral-storage': '1Ti' };
const READY_LIMIT_MS = 120_000;

interface Conditions {
  status?: { conditions?: { type: string; status: string }[] };
}

/**
 * Kubernetes' own controllers and scheduler, and cert-manager, on an API server with simulated nodes. The nodes report
 * pods as ready, and pods of jobs as done, without starting a process.
 */
export class SimulatedCluster {
  private readonly daemons: Daemon[] = [];

  private constructor(private readonly server: ApiServer) {}

  static async start(server: ApiServer, programs: Controllers): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(server);
    await cluster.launch(programs);
    for (let n = 1; n <= NODES; n++) await cluster.addNode(n);
    for (let n = 1; n <= VOLUMES; n++) await cluster.addVolume(n);
    await waitFor('the nodes to be ready', () => cluster.isReady(), READY_LIMIT_MS);
    return cluster;
  }

  private async launch(programs: Controllers): Promise<void> {
    const { server } = this;
    const { controllerManager, scheduler, certManager, kwok } = programs;
    const config = `--kubeconfig=${server.kubeconfig}`;
    const [managerPort, schedulerPort, kwokPort] = await freePorts(3);
    const stages = await simulatedStages();
    const serving = (port: number) => [
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${server.folder}`,
      '--leader-elect=false',
      '--authentication-skip-lookup=true',
    ];
    this.daemons.push(
      server.run('kube-controller-manager', controllerManager, [
        config,
        ...serving(managerPort),
        `--service-account-private-key-file=${server.accountKeyFile}`,
        `--root-ca-file=${server.authorityFile}`,
      ]),
      server.run('kube-scheduler', scheduler, [config, ...serving(schedulerPort)]),
      server.run('cert-manager', certManager, [server.kubeconfig]),
      server.run('kwok', kwok, [
        config,
        '--manage-all-nodes=true',
        '--node-lease-duration-seconds=40',
        ...stages.map((file) => `--config=${file}`),
        `--server-address=127.0.0.1:${kwokPort}`,
      ]),
    );
  }

  private async addNode(number: number): Promise<void> {
    const name = `node-${number}`;
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/zone': `zone-${number}`,
    };
    const status = { capacity: CAPACITY, allocatable: CAPACITY };
    await this.server.client.create('/api/v1/nodes', { metadata: { name, labels }, status });
  }

  /** Provides volumes for claims without a storage class, because no provisioner runs here. */
  private async addVolume(number: number): Promise<void> {
    await this.server.client.create('/api/v1/persistentvolumes', {
      metadata: { name: `volume-${number}` },
      spec: {
        capacity: { storage: '20Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: join('/var/lib/volumes', String(number)) },
      },
    });
  }

  private async isReady(): Promise<boolean> {
    for (const daemon of this.daemons) daemon.mustRun();
    const nodes = await this.server.client.list<Conditions>('/api/v1/nodes');
    return nodes.every(({ status }) => isTrue(status?.conditions, 'Ready'));
  }
}

/** Whether a condition of a resource's status is true. */
export function isTrue(conditions: { type: string; status: string }[] = [], wanted: string) {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
