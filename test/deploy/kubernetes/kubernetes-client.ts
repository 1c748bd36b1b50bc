import { Agent, request } from 'undici';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [field: string]: unknown };
  [field: string]: unknown;
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** A client of a Kubernetes API server. Refusals are thrown as errors with the server's message. */
export class KubernetesClient {
  private readonly agent: Agent;
  private readonly kinds = new Map<string, ResourceList>();

  constructor(
    private readonly origin: string,
    private readonly token: string,
    authority: string,
  ) {
    this.agent = new Agent({ connect: { ca: authority } });
  }

  get<T = KubernetesObject>(path: string): Promise<T> {
    return this.ask('GET', path);
  }

  create(path: string, body: unknown): Promise<KubernetesObject> {
    return this.ask('POST', path, body);
  }

  merge(path: string, body: unknown): Promise<KubernetesObject> {
    return this.ask('PATCH', path, body, 'application/merge-patch+json');
  }

  /**
   * Runs every check of the server, including the check for unknown fields, on a resource in the given namespace, even
   * if the resource names another namespace. Stores nothing.
   */
  async applyDry(resource: KubernetesObject, namespace: string): Promise<KubernetesObject> {
    const options = 'fieldManager=test&fieldValidation=Strict&force=true&dryRun=All';
    const path = `${await this.pathOf(resource, namespace)}?${options}`;
    const metadata = { ...resource.metadata, ...(resource.metadata.namespace && { namespace }) };
    return this.ask('PATCH', path, { ...resource, metadata }, 'application/apply-patch+yaml');
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async pathOf({ apiVersion, kind, metadata }: KubernetesObject, namespace: string) {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = this.kinds.get(root) ?? (await this.get<ResourceList>(root));
    this.kinds.set(root, known);
    const found = known.resources.find((one) => one.kind === kind && !one.name.includes('/'));
    if (!found) throw new Error(`the server has no kind ${kind} in ${apiVersion}`);
    const place = found.namespaced ? `${root}/namespaces/${namespace}` : root;
    return `${place}/${found.name}/${metadata.name}`;
  }

  private async ask<T>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<T> {
    const answer = await request(`${this.origin}${path}`, {
      method,
      dispatcher: this.agent,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': contentType },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const said = (text.startsWith('{') ? JSON.parse(text) : text) as T & { message?: string };
    if (answer.statusCode >= 400) throw new Error(said.message ?? text);
    return said;
  }
}
